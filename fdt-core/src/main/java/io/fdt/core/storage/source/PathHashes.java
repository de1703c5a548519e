package io.fdt.core.storage.source;

import io.fdt.core.plan.RawPath;
import java.util.Arrays;

/**
 * A set of 64-bit hashes of paths, 16 bytes a path at most. What it holds may be another path: look again. One thread.
 */
final class PathHashes {
    private static final long EMPTY = 0;
    private long[] slots = new long[1024];
    private int size;

    /** False when the path, or with luck of one in many billions another one, was added before. */
    boolean add(RawPath path) {
        if (size * 3L >= slots.length * 2L) {
            grow();
        }
        return insert(hash(path));
    }

    private boolean insert(long hash) {
        int mask = slots.length - 1;
        int slot = (int) (hash & mask);
        while (slots[slot] != EMPTY) {
            if (slots[slot] == hash) {
                return false;
            }
            slot = (slot + 1) & mask;
        }
        slots[slot] = hash;
        size++;
        return true;
    }

    private void grow() {
        long[] old = slots;
        slots = new long[old.length * 2];
        size = 0;
        Arrays.stream(old).filter(hash -> hash != EMPTY).forEach(this::insert);
    }

    private static long hash(RawPath path) {
        long hash = 0x9E3779B97F4A7C15L;
        for (int i = 0; i < path.lengthBytes(); i++) {
            hash = (hash ^ path.byteAt(i)) * 0xFF51AFD7ED558CCDL;
            hash ^= hash >>> 32;
        }
        hash *= 0xC4CEB9FE1A85EC53L;
        hash ^= hash >>> 29;
        return hash == EMPTY ? 1 : hash;
    }
}
