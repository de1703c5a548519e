package io.fdt.core.storage.source;

import io.fdt.core.plan.RawPath;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * A set of 64-bit hashes of paths, 16 bytes a path at most. What it holds may be another path: look again. Each set
 * hashes in its own way, so that nobody can choose paths that meet. One thread.
 */
public final class PathHashes {
    private static final long EMPTY = 0;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final long seed = RANDOM.nextLong();
    private long[] slots = new long[1024];
    private int size;

    /** False when the path, or with luck of one in many billions another one, was added before. */
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

    /** Where the hash is, or is to go. */
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
