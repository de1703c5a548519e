package io.fdt.core.transport;

import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;

/**
 * Work on another thread, whose result or failure the test gets. An assertion that fails on a thread of its own fails
 * no test; here it fails {@link #result}, and {@link NothingLeftBehind} fails the class if nobody calls that.
 */
@NullUnmarked
public final class InBackground<T> {
    /** Work without a result. */
    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    private static final Set<InBackground<?>> FAILED_UNSEEN = ConcurrentHashMap.newKeySet();

    private final Thread thread;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile T result;
    private volatile @Nullable Throwable failure;

    private InBackground(Callable<T> work) {
        thread = new Thread(
                () -> {
                    try {
                        result = work.call();
                    } catch (Throwable thrown) {
                        failure = thrown;
                        FAILED_UNSEEN.add(this);
                    } finally {
                        ended.countDown();
                    }
                },
                "test-background");
        thread.setDaemon(true);
        thread.start();
    }

    public static <T> InBackground<T> start(Callable<T> work) {
        return new InBackground<>(work);
    }

    public static InBackground<Void> run(Work work) {
        return new InBackground<>(() -> {
            work.run();
            return null;
        });
    }

    /** Waits for the end of the work. Returns its result, or throws what it threw. */
    public T result() {
        Await.until(() -> "the work ends, which is at " + where(), () -> ended.getCount() == 0);
        FAILED_UNSEEN.remove(this);
        Throwable thrown = failure;
        if (thrown != null) {
            throw InBackground.<RuntimeException>unchecked(thrown);
        }
        return result;
    }

    public boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** Waits until the thread waits for something. Fails if it ends instead. */
    public InBackground<T> awaitWaiting() {
        Await.until(() -> "the work waits, which is at " + where(), () -> hasEnded() || isWaiting());
        if (hasEnded()) {
            throw new AssertionError("it ended and returned " + result());
        }
        return this;
    }

    private boolean isWaiting() {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    public void interrupt() {
        thread.interrupt();
    }

    public Thread thread() {
        return thread;
    }

    private String where() {
        StackTraceElement[] stack = thread.getStackTrace();
        return stack.length == 0 ? "its end" : stack[0].toString();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> X unchecked(Throwable thrown) throws X {
        throw (X) thrown;
    }

    /** Returns one failure that nobody has seen, and forgets all. */
    static @Nullable Throwable unseenFailure() {
        Throwable first =
                FAILED_UNSEEN.stream().map(each -> each.failure).findFirst().orElse(null);
        FAILED_UNSEEN.clear();
        return first;
    }
}
