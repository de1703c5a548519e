package io.fdt.core.storage.posix;

import io.fdt.core.plan.RawPath;
import java.util.LinkedHashMap;
import java.util.function.ToIntFunction;

/**
 * Open directories by path, so that a file costs no walk from the root. Holds at most so many descriptors that nobody
 * uses, the least recently used go first; one in use stays open until its last user is done. Thread-safe.
 */
public final class DirectoryCache implements AutoCloseable {
    private final int idleMax;
    private final ToIntFunction<RawPath> opener;
    private final LinkedHashMap<RawPath, Held> held = new LinkedHashMap<>(16, 0.75f, true);
    private boolean closed;

    /** An open directory with its users; {@link #close} once a user. */
    public final class Held implements AutoCloseable {
        private final int fd;
        private int users;
        private boolean forgotten;
        private volatile boolean made;
        private volatile boolean exact;

        private Held(int fd) {
            this.fd = fd;
        }

        public int fd() {
            return fd;
        }

        /** This session has just made it, so that nothing stands in it but what the session has put there. */
        public void markMade() {
            made = true;
        }

        public boolean isMade() {
            return made;
        }

        /** It takes no name for another one, as those that ignore case do. */
        public void markExact() {
            exact = true;
        }

        public boolean isExact() {
            return exact;
        }

        @Override
        public void close() {
            release(this);
        }
    }

    /** @param opener opens a directory; throws what went wrong */
    public DirectoryCache(int idleMax, ToIntFunction<RawPath> opener) {
        this.idleMax = idleMax;
        this.opener = opener;
    }

    public synchronized Held acquire(RawPath directory) {
        if (closed) {
            throw new IllegalStateException("directory cache is closed");
        }
        Held found = held.get(directory);
        if (found == null) {
            found = new Held(opener.applyAsInt(directory));
            held.put(directory, found);
            forgetTheLeastRecentlyUsed();
        }
        found.users++;
        return found;
    }

    private void forgetTheLeastRecentlyUsed() {
        if (held.size() > idleMax) {
            var eldest = held.values().iterator();
            Held victim = eldest.next();
            eldest.remove();
            forget(victim);
        }
    }

    /** The path leads elsewhere from now on: the next user opens it anew. */
    public synchronized void forget(RawPath directory) {
        Held victim = held.remove(directory);
        if (victim != null) {
            forget(victim);
        }
    }

    private static void forget(Held victim) {
        victim.forgotten = true;
        if (victim.users == 0) {
            Descriptor.closeFd(victim.fd);
        }
    }

    private synchronized void release(Held user) {
        if (user.users <= 0) {
            throw new IllegalStateException("directory is released twice");
        }
        user.users--;
        if (user.users == 0 && user.forgotten) {
            Descriptor.closeFd(user.fd);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        held.values().forEach(DirectoryCache::forget);
        held.clear();
    }
}
