package io.fdt.core.storage.source;

import io.fdt.core.plan.RawPath;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * A set of 64-bit hashes of paths, with 12 to 24 bytes a path. A hash may belong to another path, so a match must be
 * verified. Each set has its own random seed, so that nobody can construct paths that collide. For one thread.
 */
public final class PathHashes {
    private static final long EMPTY = 0;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final long seed = RANDOM.nextLong();
    private long[] slots = new long[1024];
    private int size;

    /** Returns false if the path, or with a chance of one in many billions another one, was added before. */
    public boolean add(RawPath path) {
        if (size * 3L >= slots.length * 2L) {
            grow();
        }
        return insert(hash(path));
    }

    public boolean contains(RawPath path) {
        return slots[slotOf(hash(path))] != EMPTY;
    }

    private boolean insert(long hash) {
        int slot = slotOf(hash);
        boolean isNew = slots[slot] == EMPTY;
        slots[slot] = hash;
        size += isNew ? 1 : 0;
        return isNew;
    }

    /** Returns the slot of a hash, or the free one for it. */
    private int slotOf(long hash) {
        int mask = slots.length - 1;
        int slot = (int) (hash & mask);
        while (slots[slot] != EMPTY && slots[slot] != hash) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        long[] old = slots;
        slots = new long[old.length * 2];
        size = 0;
        Arrays.stream(old).filter(hash -> hash != EMPTY).forEach(this::insert);
    }

    private long hash(RawPath path) {
        long hash = seed;
        for (int i = 0; i < path.lengthBytes(); i++) {
            hash = (hash ^ path.byteAt(i)) * 0xFF51AFD7ED558CCDL;
            hash ^= hash >>> 32;
        }
        hash *= 0xC4CEB9FE1A85EC53L;
        hash ^= hash >>> 29;
        return hash == EMPTY ? 1 : hash;
    }
}
