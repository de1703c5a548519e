package io.fdt.core.storage.posix;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.plan.RawPath;
import java.util.LinkedHashMap;
import java.util.function.ToIntFunction;

/**
 * Open directories by path, so that a file does not need a walk from the root. Keeps a limited number of directories,
 * and forgets the least recently used; at its session's share, keeps only those that are in use. One that is in use
 * stays open until its last user closes it. Thread-safe.
 */
public final class DirectoryCache implements AutoCloseable {
    private final int idleMax;
    private final ToIntFunction<RawPath> opener;
    private final Budget budget;
    private final LinkedHashMap<RawPath, Held> held = new LinkedHashMap<>(16, 0.75f, true);
    private boolean closed;

    /** An open directory with a count of its users; each user calls {@link #close} once. */
    public final class Held implements AutoCloseable {
        private final Descriptor descriptor;
        private int users;
        private int files;
        private boolean forgotten;
        private volatile boolean made;
        private volatile boolean exact;
        private volatile boolean writable;

        private Held(int fd) {
            this.descriptor = new Descriptor(fd, budget);
        }

        public int fd() {
            return descriptor.fd();
        }

        /**
         * Marks a directory that this session has just created, so that it contains only what the session has put
         * there.
         */
        public void markMade() {
            made = true;
        }

        public boolean isMade() {
            return made;
        }

        /** Marks a directory that does not treat different names as equal, unlike one that ignores case. */
        public void markExact() {
            exact = true;
        }

        public boolean isExact() {
            return exact;
        }

        /** Whether this user may make files in it, by the kernel's first yes: 0, or the negated errno. */
        public int mayWrite() {
            int allowed = writable ? 0 : Paths.access(fd(), RawPath.HERE, Paths.W_OK | Paths.X_OK);
            writable = allowed == 0;
            return allowed;
        }

        /** A user keeps it open for a file that has taken what it costs: it costs nothing more meanwhile. */
        public void keepForFile() {
            onFile(this, 1);
        }

        /** For each {@link #keepForFile}, before the user closes it. */
        public void endForFile() {
            onFile(this, -1);
        }

        @Override
        public void close() {
            release(this);
        }
    }

    /**
     * @param budget of the session, charged with all of them
     * @param opener opens a directory, or throws the failure
     */
    public DirectoryCache(int idleMax, Budget budget, ToIntFunction<RawPath> opener) {
        this.idleMax = idleMax;
        this.budget = budget;
        this.opener = opener;
    }

    public synchronized Held acquire(RawPath directory) {
        if (closed) {
            throw new IllegalStateException("directory cache is closed");
        }
        Held found = held.get(directory);
        if (found == null) {
            if (!budget.hasSpare(Resource.DESCRIPTORS, 1)) {
                forgetIdle();
            }
            found = new Held(opener.applyAsInt(directory));
            held.put(directory, found);
            forgetTheLeastRecentlyUsed();
        }
        found.users++;
        return found;
    }

    private void forgetIdle() {
        held.values().removeIf(each -> {
            boolean idle = each.users == 0;
            if (idle) {
                forget(each);
            }
            return idle;
        });
    }

    private void forgetTheLeastRecentlyUsed() {
        if (held.size() > idleMax) {
            var eldest = held.values().iterator();
            Held victim = eldest.next();
            eldest.remove();
            forget(victim);
        }
    }

    /** Forgets a path that leads elsewhere from now on: the next user reopens it. */
    public synchronized void forget(RawPath directory) {
        Held victim = held.remove(directory);
        if (victim != null) {
            forget(victim);
        }
    }

    private static void forget(Held victim) {
        victim.forgotten = true;
        if (victim.users == 0) {
            victim.descriptor.close();
        }
    }

    private synchronized void onFile(Held kept, int more) {
        kept.files += more;
        if (more > 0 && kept.files == 1) {
            kept.descriptor.giveBackCharge();
        } else if (kept.files == 0 && !kept.forgotten && !kept.descriptor.tryCharge()) {
            held.values().remove(kept);
            forget(kept);
        }
    }

    private synchronized void release(Held user) {
        if (user.users <= 0) {
            throw new IllegalStateException("directory is released twice");
        }
        user.users--;
        if (user.users == 0 && user.forgotten) {
            user.descriptor.close();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        held.values().forEach(DirectoryCache::forget);
        held.clear();
    }
}
