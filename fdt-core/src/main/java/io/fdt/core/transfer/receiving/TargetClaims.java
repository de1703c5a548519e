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
 * Which session of a server writes which file. Of two sessions that want one file the older goes on, and the younger is
 * refused as a whole: so one of them always completes. A client that comes back takes over from its own session that
 * was lost. Copies by other servers and processes are kept apart by the locks of the partials. Thread-safe.
 */
public final class TargetClaims {
    /** The last word of a client that has gone may come after the first one of the same client. */
    private static final long LAST_WORD_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_MS = 10;

    private final Map<Place, Claim> owners = new HashMap<>();
    private long claims;

    /** What only one entry may be about at a time: no path is there twice, but for ranges of one file. */
    record Place(RawPath path, @Nullable FileRange range) {
        static Place of(FileEntry entry) {
            return new Place(entry.path(), entry.range());
        }

        // A record's own are made when they are first needed, which takes twenty milliseconds.

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Place place && place.path.equals(path) && Objects.equals(place.range, range);
        }

        @Override
        public int hashCode() {
            return 31 * path.hashCode() + Objects.hashCode(range);
        }
    }

    /** What a session claims from now on. */
    public synchronized Claim begin(Session session) {
        return new Claim(session, claims++);
    }

    /** What one session claims. Belongs to the session's thread. */
    public final class Claim implements AutoCloseable {
        private final Session session;
        private final long number;
        private boolean closed;

        private Claim(Session session, long number) {
            this.session = session;
            this.number = number;
        }

        /**
         * Keeps other sessions from writing the file; waits for the end of a session that has to give it up.
         *
         * @param range of the file; null for all of it
         * @throws TransferException BUSY, or what the session was interrupted with
         */
        void take(RawPath path, @Nullable FileRange range) {
            Place place = new Place(path, range);
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

        /** Whether the other session has to end for this one. */
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
                owners.remove(new Place(path, range), this);
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
