package io.fdt.core.transfer.receiving;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.digest.Sha256;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.ClaimLocks;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Assigns each file to one session of a server. If two sessions need one file, the older one continues, and the younger
 * one is refused as a whole, so one of them always completes. A client that returns takes over from its own lost
 * session. The sessions of other processes of the same server, which work as other accounts, are seen by {@link
 * ClaimLocks}: a partial would not do, because an account cannot open that of another. {@link
 * io.fdt.core.storage.partial.Seniority} does the same among servers. Thread-safe.
 */
public final class TargetClaims {
    /** The last message of a client that has ended may arrive after the first one of its next run. */
    private static final long LAST_WORD_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_MS = 10;

    private final Map<ClaimedPath, Claim> owners = new HashMap<>();
    private final ClaimLocks locks;
    private final MessageDigest sha256 = Sha256.begin();
    private long claims;

    /** @param locks of all processes of the server */
    public TargetClaims(ClaimLocks locks) {
        this.locks = locks;
        locks.whenShared(this::showAll);
    }

    /** Another process begins to look. */
    private synchronized void showAll() {
        owners.forEach((place, owner) -> owner.show(hash(place)));
    }

    private long hash(ClaimedPath place) {
        sha256.update(place.path.toBytes());
        FileRange range = place.range;
        if (range != null) {
            sha256.update(ByteBuffer.allocate(1 + 3 * Long.BYTES)
                    .putLong(1, range.offset())
                    .putLong(1 + Long.BYTES, range.fileBytes())
                    .putLong(1 + 2 * Long.BYTES, range.rangeBytes()));
        }
        return ByteBuffer.wrap(sha256.digest()).getLong();
    }

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
        private final long begunNanos = System.nanoTime();
        /** Among the sessions of all processes, once it has shown something. */
        private int shown = ClaimLocks.NONE;

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
                if (owners.put(place, this) != this && locks.isShared()) {
                    requireNoOther(place);
                }
            }
        }

        private boolean show(long hash) {
            if (shown == ClaimLocks.NONE) {
                shown = locks.begin(begunNanos);
            }
            if (shown != ClaimLocks.NONE) {
                locks.take(shown, hash);
            }
            return shown != ClaimLocks.NONE;
        }

        /** Waits for the end of a younger session of another process that has the file. */
        private void requireNoOther(ClaimedPath place) {
            long hash = hash(place);
            int wanted = ClaimLocks.NONE;
            boolean free = false;
            try {
                long begun = System.nanoTime();
                int other = show(hash) ? locks.other(hash) : ClaimLocks.NONE;
                while (other != ClaimLocks.NONE) {
                    if (locks.isOlder(other, shown) || System.nanoTime() - begun > END_NANOS) {
                        throw isWritten(place.path);
                    }
                    requireUnwanted();
                    if (other != wanted) {
                        unwant(wanted);
                        wanted = other;
                        locks.want(shown, other);
                    }
                    session.throwIfInterrupted();
                    look();
                    other = locks.other(hash);
                }
                free = true;
            } finally {
                unwant(wanted);
                if (!free) {
                    remove(place);
                }
            }
        }

        private void unwant(int other) {
            if (other != ClaimLocks.NONE) {
                locks.unwant(shown, other);
            }
        }

        /** @throws TransferException BUSY, if an older session of another process needs a file of this one */
        void requireUnwanted() {
            synchronized (TargetClaims.this) {
                if (shown != ClaimLocks.NONE && locks.isWanted(shown)) {
                    throw FailureKind.BUSY.failure("another copy is writing this target, as another account");
                }
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
                look();
            }
        }

        private void look() {
            try {
                TargetClaims.this.wait(LOOK_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw FailureKind.INTERRUPTED.failure("interrupted", e);
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
                remove(new ClaimedPath(path, range));
            }
        }

        private void remove(ClaimedPath place) {
            if (owners.remove(place, this) && shown != ClaimLocks.NONE) {
                locks.release(shown, hash(place));
            }
        }

        @Override
        public void close() {
            synchronized (TargetClaims.this) {
                if (!closed && shown != ClaimLocks.NONE) {
                    owners.forEach((place, owner) -> {
                        if (owner == this) {
                            locks.release(shown, hash(place));
                        }
                    });
                    locks.end(shown);
                    shown = ClaimLocks.NONE;
                }
                closed = true;
                owners.values().removeIf(owner -> owner == this);
                TargetClaims.this.notifyAll();
            }
        }
    }
}
