package io.fdt.core.transport;

import io.fdt.core.basic.Clock;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Reports that a listening port cannot accept connections, usually because the process has no free descriptors, and
 * when it can again. At most once a minute, because a peer could otherwise fill the log. For one thread.
 */
public final class AcceptFailures {
    private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String port;
    private final Consumer<String> warnings;
    private final Clock clock;
    private long reportedNanos;
    private boolean everReported;
    private boolean owesRecovery;

    /** @param port the port, for display */
    public AcceptFailures(String port, Consumer<String> warnings, Clock clock) {
        this.port = port;
        this.warnings = warnings;
        this.clock = clock;
    }

    public void onFailure(String why) {
        long now = clock.nanoTime();
        if (!everReported || now - reportedNanos >= PERIOD_NANOS) {
            everReported = true;
            reportedNanos = now;
            owesRecovery = true;
            warnings.accept(port + " cannot accept connections: " + why
                    + "; it keeps trying. If too many files are open, raise the limit (ulimit -n)");
        }
    }

    public void onAccepted() {
        if (owesRecovery) {
            owesRecovery = false;
            warnings.accept(port + " accepts connections again");
        }
    }
}
