package io.fdt.core.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which threads have turns; how long one takes makes no difference, except where a test sets the clock. */
final class TurnsTest {
    /** A thread that has a value of it cannot start another one. */
    private static final InheritableThreadLocal<String> FULL = new InheritableThreadLocal<>() {
        @Override
        protected String childValue(String ofParent) {
            throw new OutOfMemoryError("unable to create native thread: a test's");
        }
    };

    private final AtomicLong now = new AtomicLong();
    private final Budgets budgets = new Budgets(
            Map.of(Resource.THREADS, 64L), () -> true, new ServerTotals(), new Turns(2, now::get, new ServerTotals()));
    private final List<Worker> workers = new ArrayList<>();
    private final Queue<String> order = new ConcurrentLinkedQueue<>();

    /** A thread that asks for one turn after the other, and ends each when it is told to. */
    private final class Worker {
        final String name;
        final Semaphore ends = new Semaphore(0);
        final AtomicInteger turns = new AtomicInteger();
        volatile boolean hasTurn;
        final Budget budget;
        final FutureTask<Boolean> end = new FutureTask<>(this::work, true);
        final Thread thread;

        Worker(String name, Budget budget) {
            this.name = name;
            this.budget = budget;
            this.thread = Threads.start(name, end::run);
            workers.add(this);
        }

        private void work() {
            try {
                while (true) {
                    budget.runInTurn(() -> {
                        order.add(name);
                        turns.incrementAndGet();
                        hasTurn = true;
                        ends.acquireUninterruptibly();
                        hasTurn = false;
                    });
                }
            } catch (TransferException ended) {
                order.add(name + " " + ended.getMessage());
            }
        }

        void awaitTurn() {
            Await.until(name + " has a turn", () -> hasTurn);
        }

        /** Until it waits for its next turn. */
        void awaitWaiting() {
            Await.until(name + " waits for a turn", () -> !hasTurn && thread.getState() == Thread.State.TIMED_WAITING);
        }
    }

    @AfterEach
    void end() throws Exception {
        for (Worker each : workers) {
            each.budget.end(Cause.INTERRUPTED.failure("over"));
            each.ends.release(1_000);
        }
        for (Worker each : workers) {
            each.end.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private List<Worker> greedy(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Worker("greedy-" + i, budgets.open("greedy")))
                .toList();
    }

    private static List<Worker> withTurns(List<Worker> some) {
        return some.stream().filter(each -> each.hasTurn).toList();
    }

    @Test
    void aKeyAloneHasAllCores() {
        List<Worker> greedy = greedy(8);
        Await.until("two have turns", () -> withTurns(greedy).size() == 2);
        greedy.stream().filter(each -> !each.hasTurn).forEach(Worker::awaitWaiting);
        assertThat(withTurns(greedy)).hasSize(2);
    }

    @Test
    void aKeyWithoutATurnWaitsForNobody() {
        List<Worker> greedy = greedy(32);
        Await.until("two have turns", () -> withTurns(greedy).size() == 2);
        // None of those turns ends.
        for (String key : List.of("first", "second", "third")) {
            new Worker(key, budgets.open(key)).awaitTurn();
        }
        assertThat(withTurns(greedy)).hasSize(2);
    }

    @Test
    void aKeyHasItsFairShareWhileOthersWork() {
        List<Worker> greedy = greedy(8);
        Await.until("two have turns", () -> withTurns(greedy).size() == 2);
        List<Worker> honest = IntStream.range(0, 3)
                .mapToObj(i -> new Worker("honest", budgets.open("honest")))
                .toList();
        Await.until("one of the other key has a turn", () -> withTurns(honest).size() == 1);
        honest.stream().filter(each -> !each.hasTurn).forEach(Worker::awaitWaiting);
        withTurns(greedy).get(0).ends.release();
        Await.until(
                "one turn of the greedy key has ended", () -> withTurns(greedy).size() == 1);
        int turns = order.size();
        for (int i = 0; i < 10; i++) {
            int before = order.size();
            withTurns(honest).get(0).ends.release();
            Await.until("the next turn", () -> order.size() == before + 1);
            Await.until("one of the other key has it", () -> withTurns(honest).size() == 1);
        }
        assertThat(order.stream().skip(turns)).containsOnly("honest");
        assertThat(withTurns(greedy)).hasSize(1);
    }

    @Test
    void threadsOfAKeyTakeTurnsInTheOrderInWhichTheyAsk() {
        Worker first = new Worker("first", budgets.open("key"));
        first.awaitTurn();
        Worker second = new Worker("second", budgets.open("key"));
        second.awaitTurn();
        Worker third = new Worker("third", budgets.open("key"));
        third.awaitWaiting();
        first.ends.release();
        third.awaitTurn();
        first.awaitWaiting();
        second.ends.release();
        first.awaitTurn();
        assertThat(order).containsExactly("first", "second", "third", "first");
    }

    @Test
    void ofKeysWithAsManyTurnsTheOneServedLongestAgoIsNext() {
        Budgets threeCores =
                new Budgets(Map.of(), () -> true, new ServerTotals(), new Turns(3, now::get, new ServerTotals()));
        List<Worker> some = new ArrayList<>();
        for (String key : List.of("first", "second", "first")) {
            some.add(new Worker(key, threeCores.open(key)));
            some.get(some.size() - 1).awaitTurn();
        }
        Worker third = new Worker("first", threeCores.open("first"));
        third.awaitWaiting();
        Worker next = new Worker("second", threeCores.open("second"));
        next.awaitWaiting();
        some.get(0).ends.release();
        Await.until("another one has a turn", () -> next.hasTurn || third.hasTurn);
        assertThat(next.hasTurn).isTrue();
    }

    @Test
    void aLongStepPassesItsTurnOn() {
        Turns turns = new Turns(1, now::get, new ServerTotals());
        Budget budget = new Budgets(Map.of(), () -> true, new ServerTotals(), turns).open("key");
        Semaphore begin = new Semaphore(0);
        Thread walk = Threads.start(
                "walk",
                () -> budget.runInTurn(() -> {
                    order.add("walk begins");
                    begin.acquireUninterruptibly();
                    for (int i = 1; i < 256; i++) {
                        budget.requireOpen();
                    }
                    order.add("walk goes on");
                    budget.requireOpen();
                    order.add("walk ends " + (turns.isMine() ? "in its turn" : "without a turn"));
                }));
        Await.until("it has the turn", () -> !order.isEmpty());
        Thread other = Threads.start("other", () -> budget.runInTurn(() -> order.add("other")));
        Await.until("the other waits", () -> other.getState() == Thread.State.TIMED_WAITING);
        begin.release();
        Await.until("both have ended", () -> !walk.isAlive() && !other.isAlive());
        assertThat(order).containsExactly("walk begins", "walk goes on", "other", "walk ends in its turn");
    }

    @Test
    void aTurnThatWaitsForADiskLeavesItsCoreToOthers() {
        List<Worker> greedy = greedy(3);
        Await.until("two have turns", () -> withTurns(greedy).size() == 2);
        greedy.stream().filter(each -> !each.hasTurn).forEach(Worker::awaitWaiting);
        now.addAndGet(TimeUnit.SECONDS.toNanos(2));
        Await.until("all have turns", () -> withTurns(greedy).size() == 3);
    }

    @Test
    void aStepInAStepNeedsNoOtherTurn() {
        Budgets oneCore =
                new Budgets(Map.of(), () -> true, new ServerTotals(), new Turns(1, now::get, new ServerTotals()));
        Budget budget = oneCore.open("key");
        assertThat(budget.<String, RuntimeException>inTurn(() -> budget.inTurn(() -> "done")))
                .isEqualTo("done");
    }

    @Test
    void theEndOfASessionEndsItsWaitForATurn() {
        List<Worker> greedy = greedy(2);
        greedy.forEach(Worker::awaitTurn);
        Worker third = new Worker("third", budgets.open("greedy"));
        third.awaitWaiting();
        third.budget.end(Cause.CONNECTION_LOST.failure("gone"));
        Await.until("it is told", () -> order.contains("third gone"));
    }

    /** Also where no step waits for its turn: in one that has it, and where everybody works at once. */
    @Test
    void noStepBeginsAfterTheEndOfItsSession() {
        for (Turns turns : Arrays.asList(new Turns(1, now::get, new ServerTotals()), null)) {
            Budget budget = new Budgets(Map.of(), () -> true, new ServerTotals(), turns).open("key");
            assertThatThrownBy(() -> budget.runInTurn(() -> {
                        budget.end(Cause.CONNECTION_LOST.failure("gone"));
                        budget.runInTurn(() -> order.add("a step"));
                    }))
                    .hasMessage("gone");
            assertThatThrownBy(() -> budget.runInTurn(() -> order.add("a step")))
                    .hasMessage("gone");
        }
        assertThat(order).isEmpty();
    }

    @Test
    void anInterruptionEndsTheWaitOfASuspendedSession() {
        Budget budget = budgets.open("key");
        budget.suspend();
        requireInterruptible(budget);
    }

    @Test
    void anInterruptionEndsTheWaitForATurn() {
        greedy(2).forEach(Worker::awaitTurn);
        requireInterruptible(budgets.open("greedy"));
        assertThat(order).hasSize(2);
    }

    private static void requireInterruptible(Budget budget) {
        var waiting = InBackground.start(() -> {
            assertThatThrownBy(() -> budget.runInTurn(() -> {
                        throw new AssertionError("nothing is done");
                    }))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            e -> assertThat(e.is(Cause.INTERRUPTED)).isTrue());
            return Thread.interrupted();
        });
        waiting.awaitWaiting();
        waiting.interrupt();
        assertThat(waiting.result()).as("it is still interrupted").isTrue();
    }

    @Test
    void aSuspendedSessionHasNoTurnUntilItsClientReturns() {
        Budget budget = budgets.open("key");
        budget.suspend();
        Worker worker = new Worker("suspended", budget);
        Await.until("it waits", () -> worker.thread.getState() == Thread.State.WAITING);
        assertThat(worker.turns).hasValue(0);
        budget.resume();
        worker.awaitTurn();
        budget.suspend();
        worker.ends.release();
        Await.until("it waits again", () -> worker.thread.getState() == Thread.State.WAITING);
        budget.end(Cause.CONNECTION_LOST.failure("gone"));
        Await.until("it is told", () -> order.contains("suspended gone"));
    }

    @Test
    void threadsAreChargedUntilTheyEnd() {
        Budget budget = budgets.open("key");
        Semaphore end = new Semaphore(0);
        List<Thread> threads = new ArrayList<>();
        assertThatThrownBy(() -> {
                    while (true) {
                        threads.add(budget.start("fdt-test", end::acquire));
                    }
                })
                .hasMessageContaining("threads");
        assertThat(threads).hasSize(16);
        budget.close();
        assertThat(budgets.heldBy("key", Resource.THREADS)).isEqualTo(16);
        end.release(16);
        Await.until("nothing is held", () -> budgets.heldBy("key", Resource.THREADS) == 0);
    }

    static Stream<Throwable> failures() {
        return Stream.of(new StackOverflowError("a test"), Cause.CONNECTION_LOST.failure("gone"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void workOfSeveralThreadsEndsWithTheFailureOfAny(Throwable failure) {
        Budget budget = budgets.open("key");
        CyclicBarrier all = new CyclicBarrier(3);
        Queue<String> threads = new ConcurrentLinkedQueue<>();
        assertThatThrownBy(() -> budget.runOnSeveral("fdt-test", 2, () -> {
                    try {
                        all.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                    threads.add(Thread.currentThread().getName());
                    if (Thread.currentThread().getName().equals("fdt-test-1")) {
                        if (failure instanceof Error mistake) {
                            throw mistake;
                        }
                        throw (TransferException) failure;
                    }
                }))
                .isSameAs(failure);
        assertThat(threads).hasSize(3).contains("fdt-test-1", "fdt-test-2");
        assertThat(Thread.interrupted()).as("this thread is interrupted").isFalse();
        Await.until("nothing is held", () -> budgets.heldBy("key", Resource.THREADS) == 0);
    }

    @Test
    void workOfSeveralThreadsIsWaitedForWhoeverInterrupts() {
        Budget budget = budgets.open("key");
        Semaphore end = new Semaphore(0);
        var caller = InBackground.start(() -> {
            budget.runOnSeveral("fdt-test", 1, () -> {
                if (Thread.currentThread().getName().startsWith("fdt-test")) {
                    end.acquireUninterruptibly();
                }
            });
            return Thread.interrupted();
        });
        caller.awaitWaiting();
        caller.interrupt();
        Await.until("it waits again", () -> !caller.thread().isInterrupted());
        caller.awaitWaiting();
        end.release();
        assertThat(caller.result()).as("it is still interrupted").isTrue();
    }

    @Test
    void aThreadThatCannotStartIsNotCharged() {
        FULL.set("no thread has room");
        try {
            assertThatThrownBy(() -> budgets.open("key").start("fdt-test", () -> {}))
                    .isInstanceOf(OutOfMemoryError.class);
        } finally {
            FULL.remove();
        }
        assertThat(budgets.heldBy("key", Resource.THREADS)).isZero();
    }

    @Test
    void workOfSeveralThreadsNeedsNoneButItsOwn() {
        Budget budget = new Budgets(Map.of(Resource.THREADS, 0L), () -> true).open("key");
        budget.runOnSeveral("fdt-test", 2, () -> order.add("done"));
        assertThat(order).containsExactly("done");
    }

    @Test
    void threadsOfSessionsGiveWayToLanes() throws Exception {
        FutureTask<Integer> session = new FutureTask<>(TurnsTest::nice);
        budgets.open("key").start("fdt-test", session::run);
        FutureTask<Integer> lane = new FutureTask<>(TurnsTest::nice);
        Threads.start("fdt-lane", lane::run);
        assertThat(session.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                .isGreaterThan(lane.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS));
    }

    /** Of this thread: the 19th field; the second is a name in parentheses. */
    private static int nice() throws IOException {
        String stat = Files.readString(Path.of("/proc/thread-self/stat"));
        return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[16]);
    }
}
