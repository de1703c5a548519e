package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Pauses;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import java.net.ConnectException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Establishes a new link when a client's session has lost its link: dials, with growing pauses, until the channel has a
 * link again or gives the peer up. A server that refuses, or a host on which nothing listens any more, ends the search
 * early. Each search has its own thread, {@code fdt-reattach}.
 */
final class Reattaching {
    private static final Pauses PAUSE_MS = new Pauses(100, 2_000);

    /** A restarted server does not know the session, so it is not waited for as long as a network. */
    private static final long NOBODY_LISTENS_MS = 3_000;

    private final Clock clock;
    private final long patienceMs;
    private final Dial dial;

    /** Puts the channel on a new link, or fails. */
    interface Dial {
        void reattach(ControlChannel channel) throws InterruptedException;
    }

    Reattaching(Clock clock, long timeoutMs, Dial dial) {
        this.clock = clock;
        this.patienceMs = Math.min(NOBODY_LISTENS_MS, timeoutMs);
        this.dial = dial;
    }

    /** Called when the channel has lost its link. Returns at once. */
    void begin(ControlChannel channel) {
        Threads.start("fdt-reattach", () -> search(channel), noThread -> giveUp(channel, noThread));
    }

    private void search(ControlChannel channel) throws InterruptedException {
        long lostNanos = clock.nanoTime();
        for (int failures = 1; channel.isLost(); failures++) {
            TransferException failure = dialOnce(channel);
            if (failure == null) {
                return;
            }
            long lostMs = TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - lostNanos);
            if (isFinal(failure, lostMs)) {
                giveUp(channel, failure);
                return;
            }
            Thread.sleep(PAUSE_MS.after(failures));
        }
    }

    private static void giveUp(ControlChannel channel, TransferException why) {
        channel.giveUp(Cause.CONNECTION_LOST.failure(
                "the connection to " + channel.peer() + " was lost, and the session cannot continue: "
                        + why.getMessage(),
                why));
    }

    private @Nullable TransferException dialOnce(ControlChannel channel) throws InterruptedException {
        try {
            dial.reattach(channel);
            return null;
        } catch (RuntimeException failure) {
            return TransferException.of(failure);
        }
    }

    private boolean isFinal(TransferException failure, long lostMs) {
        return switch (failure.kind()) {
            case CANNOT_CONNECT -> failure.getCause() instanceof ConnectException && lostMs >= patienceMs;
            case CONNECTION_LOST -> false;
            default -> true;
        };
    }
}
