package io.fdt.cli.console;

import io.fdt.core.failure.KernelError;
import io.fdt.core.run.Threads;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Standard error for code that prints messages, and standard output of a server: it never fails and never blocks for
 * long. Its own thread, {@code fdt-messages}, writes the queued text. Text that does not fit because the reader has
 * stalled, or that a full disk does not take, is lost and counted, and later messages are written again. After the
 * reader has closed its end, nothing is kept.
 *
 * <p>While the reader keeps up, a call returns when its text is written, so standard output and standard error keep
 * their order. Thread-safe.
 */
public final class MessageStream extends OutputStream {
    private static final int MAX_WAITING_BYTES = 256 << 10;
    /** How long a writer waits for a reader that has not been slow so far. */
    private static final long COURTESY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final OutputStream sink;
    private final Object lock = new Object();

    // Guarded by lock.
    private final Queue<byte[]> waiting = new ArrayDeque<>();
    private int waitingBytes;
    private long taken;
    private long written;
    private long lost;
    private boolean slow;
    private boolean gone;
    private boolean started;

    public MessageStream(OutputStream sink) {
        this.sink = sink;
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        synchronized (lock) {
            if (gone) {
                return;
            }
            if (waitingBytes + length > MAX_WAITING_BYTES) {
                lost++;
                return;
            }
            waiting.add(Arrays.copyOfRange(bytes, offset, offset + length));
            waitingBytes += length;
            long mine = ++taken;
            start();
            lock.notifyAll();
            if (!slow && !awaitWritten(mine, COURTESY_NANOS)) {
                slow = true;
            }
        }
    }

    /** Ends the thread once the queued messages are written; later messages are dropped. Does not close the sink. */
    @Override
    public void close() {
        synchronized (lock) {
            gone = true;
            lock.notifyAll();
        }
    }

    /** Waits until all messages so far are written, but no longer than the timeout. */
    public void drain(long timeoutMs) {
        synchronized (lock) {
            awaitWritten(taken, TimeUnit.MILLISECONDS.toNanos(timeoutMs));
        }
    }

    /**
     * Returns the number of messages lost since the previous call; zero while the queue has no room for a message about
     * that.
     */
    public long takeLost() {
        synchronized (lock) {
            if (waitingBytes > MAX_WAITING_BYTES / 2) {
                return 0;
            }
            long count = lost;
            lost = 0;
            return count;
        }
    }

    /** Call with the lock held. */
    private boolean awaitWritten(long number, long nanos) {
        long deadline = System.nanoTime() + nanos;
        try {
            while (written < number && !gone) {
                long leftNanos = deadline - System.nanoTime();
                if (leftNanos <= 0) {
                    return false;
                }
                // Rounded up: zero would wait for ever.
                lock.wait(TimeUnit.NANOSECONDS.toMillis(leftNanos) + 1);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void start() {
        if (!started) {
            started = true;
            // The next message tries again.
            Threads.start("fdt-messages", this::run, noThread -> started = false);
        }
    }

    private void run() throws InterruptedException {
        for (byte[] text = next(); text != null; text = next()) {
            writeOne(text);
        }
    }

    /** Returns null when no more messages will follow. */
    private byte @Nullable [] next() throws InterruptedException {
        synchronized (lock) {
            while (waiting.isEmpty() && !gone) {
                lock.wait();
            }
            if (waiting.isEmpty()) {
                return null;
            }
            byte[] next = waiting.remove();
            waitingBytes -= next.length;
            return next;
        }
    }

    private void writeOne(byte[] text) {
        boolean failed = false;
        boolean forGood = false;
        try {
            sink.write(text);
            sink.flush();
        } catch (IOException e) {
            failed = true;
            KernelError error = KernelError.of(e);
            forGood = error == KernelError.EPIPE || error == KernelError.EBADF;
        }
        synchronized (lock) {
            written++;
            slow = false;
            gone |= forGood;
            lost += failed ? 1 : 0;
            if (forGood) {
                waiting.clear();
                waitingBytes = 0;
            }
            lock.notifyAll();
        }
    }
}
