package io.fdt.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The limits of a server are for all of its processes; here, they are in one. */
final class ServerTotalsTest {
    private static final int F_DUPFD_CLOEXEC = 1030;

    private final ServerTotals first = ServerTotals.forSeveralProcesses();

    private ServerTotals joined(int row) throws IOException {
        return ServerTotals.joined(Libc.fcntl(first.descriptor(), F_DUPFD_CLOEXEC, 0), row);
    }

    private static Budgets of(ServerTotals totals) {
        return new Budgets(Map.of(Resource.HEAP, 1_000L), () -> true, totals);
    }

    private static long most(Budget account) {
        long taken = 0;
        while (account.tryTake(Resource.HEAP, 1)) {
            taken++;
        }
        return taken;
    }

    @Test
    void aKeyLeavesToThoseOfOtherProcessesAsMuchAsItHolds() throws IOException {
        Budgets here = of(first);
        Budgets there = of(joined(first.reserve()));
        assertThat(most(here.open("greedy"))).isEqualTo(250);
        assertThat(most(here.open("greedy"))).isEqualTo(125);
        long left = 1_000 - here.heldBy("greedy", Resource.HEAP);
        assertThat(most(there.open("other"))).isEqualTo(left / 2 / 2);
        assertThat(there.open("third").takePieces(Resource.HEAP, 1_000, 1_000, 1))
                .isEqualTo((int) (left - left / 4) / 2);
    }

    @Test
    void nothingIsTakenBeyondTheLimitHoweverManyProcessesThereAre() throws IOException {
        long all = 0;
        for (int process = 0; process < 20; process++) {
            Budgets one = process == 0 ? of(first) : of(joined(first.reserve()));
            for (int session = 0; session < 5; session++) {
                Budget account = one.open("key " + process);
                all += most(account) + account.takePieces(Resource.HEAP, 100, 100, 7) * 7L;
            }
        }
        assertThat(all).isBetween(900L, 1_000L);
    }

    @Test
    void whatAProcessHeldIsFreeWhenItHasEnded() throws IOException {
        Budgets here = of(first);
        int row = first.reserve();
        ServerTotals there = joined(row);
        most(of(there).open("greedy"));
        there.sessions(7);
        assertThat(first.sessionsOfOthers()).isEqualTo(7);
        assertThat(most(here.open("key"))).isLessThan(250);
        here.open("key").close();

        first.release(row);

        assertThat(first.sessionsOfOthers()).isZero();
        assertThat(here.heldBy("key", Resource.HEAP) + most(here.open("other"))).isGreaterThan(300);
        assertThat(first.reserve()).as("its row is used again").isEqualTo(row);
    }

    /** Each process may take what is left at the same moment; then neither has more than there is. */
    @Test
    void processesThatTakeAtOnceNeverHoldMoreThanThereIs() throws Exception {
        AtomicLong held = new AtomicLong();
        Callable<Long> taking = () -> {
            Budgets own = new Budgets(Map.of(Resource.HEAP, 10L), () -> false, joined(first.reserve()));
            long most = 0;
            for (int i = 0; i < 50_000; i++) {
                try (Budget account = own.open("key")) {
                    if (account.tryTake(Resource.HEAP, 4)) {
                        most = Math.max(most, held.addAndGet(4));
                        held.addAndGet(-4);
                    }
                }
            }
            return most;
        };
        assertThat(inBackground(List.of(taking, taking, taking, taking))).allMatch(most -> most <= 10);
    }

    private static List<Long> inBackground(List<Callable<Long>> all)
            throws InterruptedException, ExecutionException, TimeoutException {
        ExecutorService threads = Executors.newFixedThreadPool(all.size());
        try {
            List<Long> results = new ArrayList<>();
            List<Future<Long>> begun = new ArrayList<>();
            all.forEach(each -> begun.add(threads.submit(each)));
            for (Future<Long> each : begun) {
                results.add(each.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void thereIsARowForEachProcessUpToALimit() throws IOException {
        for (int i = 1; i < 128; i++) {
            assertThat(first.reserve()).isEqualTo(i);
        }
        assertThatThrownBy(first::reserve).hasMessageContaining("128 processes");
    }

    @Test
    void keysOfAllProcessesShareTheCores() throws IOException {
        Turns here = new Turns(4, () -> 0, first);
        assertThat(here.share()).isEqualTo(4);
        ServerTotals there = joined(first.reserve());
        there.keysAtWork(1);
        assertThat(here.share()).isEqualTo(2);
        there.keysAtWork(100);
        assertThat(here.share()).as("a key always has a turn").isEqualTo(1);
        first.release(1);
        assertThat(here.share()).isEqualTo(4);
    }
}
