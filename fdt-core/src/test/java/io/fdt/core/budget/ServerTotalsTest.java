package io.fdt.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
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
                    } else if (account.held(Resource.HEAP) != 0) {
                        throw new AssertionError("it holds what it could not take");
                    }
                }
            }
            return most;
        };
        assertThat(inBackground(List.of(taking, taking, taking, taking))).allMatch(most -> most <= 10);
    }

    /** Another process takes 8 between the look of this one and its own taking: both have seen room for it. */
    @Test
    void whatAnotherProcessTakesAtTheSameMomentIsGivenUp() throws IOException {
        ServerTotals.Words rows = new ServerTotals.Words() {
            private final Map<Integer, Long> values = new HashMap<>();

            @Override
            public long get(int index) {
                return values.getOrDefault(index, 0L);
            }

            @Override
            public boolean compareAndSet(int index, long expected, long value) {
                throw new AssertionError("nobody changes a word of another one");
            }

            @Override
            public void set(int index, long value) {
                values.put(index, value);
                if (value == 4) {
                    values.put(index + 1, 8L);
                }
            }
        };
        ServerTotals totals = new ServerTotals(rows, -1, 0);
        totals.reserve();
        Budgets here = new Budgets(Map.of(Resource.HEAP, 10L), () -> false, totals);
        Budget taking = here.open("key");
        assertThat(taking.tryTake(Resource.HEAP, 4)).isFalse();
        assertThat(here.heldBy("key", Resource.HEAP)).isZero();
        totals.release(1);
        assertThat(here.open("key").takePieces(Resource.HEAP, 2, 2, 2)).isEqualTo(1);
        assertThat(here.heldBy("key", Resource.HEAP)).isEqualTo(2);
    }

    @Test
    void eachNumberOfEachProcessIsApart() throws IOException {
        int row = first.reserve();
        ServerTotals there = joined(row);
        of(there).open("key").take(Resource.HEAP, 3);
        there.keysAtWork(5);
        assertThat(first.heldByOthers(Resource.HEAP)).isEqualTo(3);
        assertThat(first.heldByOthers(Resource.DISK)).isZero();
        assertThat(first.sessionsOfOthers()).isZero();
        assertThat(first.keysAtWorkOfOthers()).isEqualTo(5);
        assertThat(there.heldByOthers(Resource.HEAP)).isZero();
        assertThat(first.rate(0).compareAndSet(0, 7)).isTrue();
        assertThat(there.rate(0).get()).isEqualTo(7);
        assertThat(there.rate(1).get()).isZero();
        first.release(row);
        there.sessions(2);
        assertThat(first.reserve()).isEqualTo(row);
        assertThat(first.sessionsOfOthers())
                .as("written after its end was noticed")
                .isZero();
    }

    @Test
    void onlyAServerOfSeveralProcessesIsShared() throws IOException {
        assertThat(first.isShared()).isFalse();
        ServerTotals there = joined(first.reserve());
        assertThat(first.isShared()).isTrue();
        assertThat(there.isShared()).isTrue();
        assertThatThrownBy(() -> joined(0)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> joined(128)).isInstanceOf(IOException.class);
        assertThatThrownBy(new ServerTotals()::descriptor).isInstanceOf(IOException.class);
    }

    /** In each process, its keys that have turns, or wait for one. */
    @Test
    void aKeyIsAtWorkDuringItsTurns() throws IOException {
        ServerTotals there = joined(first.reserve());
        Budgets here = of(first);
        here.open("key").runInTurn(() -> {
            assertThat(there.keysAtWorkOfOthers()).isEqualTo(1);
        });
        assertThat(there.keysAtWorkOfOthers()).isZero();
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
        first.keysAtWork(3);
        assertThat(first.sessionsOfOthers()).as("the next column").isZero();
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

        there.keysAtWork(2);
        Budgets working = new Budgets(Map.of(), () -> true, first, here);
        working.open("one")
                .runInTurn(() -> InBackground.run(() -> working.open("two")
                                .runInTurn(() -> assertThat(here.share()).isEqualTo(2)))
                        .result());
    }
}
