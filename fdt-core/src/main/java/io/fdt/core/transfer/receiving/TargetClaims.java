package io.fdt.core.transfer.receiving;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Assigns each file to one session of a server. If two sessions need one file, the older one continues, and the younger
 * one is refused as a whole, so one of them always completes. A client that returns takes over from its own lost
 * session. {@link io.fdt.core.storage.partial.Seniority} does the same among servers and processes. Thread-safe.
 */
public final class TargetClaims {
    /** The last message of a client that has ended may arrive after the first one of its next run. */
    private static final long LAST_WORD_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_MS = 10;

    private final Map<ClaimedPath, Claim> owners = new HashMap<>();
    private long claims;

    /** The identity of a file for claims: no path is claimed twice, except for different ranges of one file. */
    record ClaimedPath(RawPath path, @Nullable FileRange range) {
        static ClaimedPath of(FileEntry entry) {
            return new ClaimedPath(entry.path(), entry.range());
        }

        // The methods that a record generates are created on first use, which takes twenty milliseconds.

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ClaimedPath place && place.path.equals(path) && Objects.equals(place.range, range);
        }

        @Override
        public int hashCode() {
            return 31 * path.hashCode() + Objects.hashCode(range);
        }
    }

    public synchronized Claim begin(Session session) {
        return new Claim(session, claims++);
    }

    /** The claims of one session. For the session's thread. */
    public final class Claim implements AutoCloseable {
        private final Session session;
        private final long number;
        private boolean closed;

        private Claim(Session session, long number) {
            this.session = session;
            this.number = number;
        }

        /**
         * Keeps other sessions from writing the file; waits for the end of a session that must give it up.
         *
         * @param range of the file; null for all of it
         * @throws TransferException BUSY, or the failure that interrupted the session
         */
        void take(RawPath path, @Nullable FileRange range) {
            ClaimedPath place = new ClaimedPath(path, range);
            synchronized (TargetClaims.this) {
                for (Claim owner = owners.get(place); owner != null && owner != this; owner = owners.get(place)) {
                    awaitEnd(owner, path);
                }
                owners.put(place, this);
            }
        }

        private void awaitEnd(Claim owner, RawPath path) {
            long begun = System.nanoTime();
            while (!owner.closed) {
                boolean ends = endsForThis(owner, path);
                boolean mayEnd = session.isOfSameClientAs(owner.session);
                if (System.nanoTime() - begun > (ends ? END_NANOS : mayEnd ? LAST_WORD_NANOS : 0)) {
                    throw isWritten(path);
                }
                session.throwIfInterrupted();
                try {
                    TargetClaims.this.wait(LOOK_MS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw FailureKind.INTERRUPTED.failure("interrupted", e);
                }
            }
        }

        private static TransferException isWritten(RawPath path) {
            return FailureKind.BUSY.failure(path.name().display() + ": another copy is writing this target");
        }

        /** Whether the other session must end for this one. */
        private boolean endsForThis(Claim owner, RawPath path) {
            if (owner.number > number) {
                owner.session.interrupt(isWritten(path));
                return true;
            }
            if (session.isOfSameClientAs(owner.session) && owner.session.hasLostClient()) {
                owner.session.interrupt(
                        FailureKind.CONNECTION_LOST.failure("its client reconnected with a new session"));
                return true;
            }
            return false;
        }

        /** The file is settled. */
        void release(RawPath path, @Nullable FileRange range) {
            synchronized (TargetClaims.this) {
                owners.remove(new ClaimedPath(path, range), this);
            }
        }

        @Override
        public void close() {
            synchronized (TargetClaims.this) {
                closed = true;
                owners.values().removeIf(owner -> owner == this);
                TargetClaims.this.notifyAll();
            }
        }
    }
}
