package io.fdt.core.digest;

import io.fdt.core.nativecode.NativeCode;

/**
 * XXH3-128 in C, where the jar holds it for this processor and it can be loaded: several times as fast as Java, and from the
 * first leaf on, before anything is compiled. Thread-safe.
 */
final class NativeXxh3 {
    /** Shorter input takes another path of the algorithm, which is left to Java. */
    static final int MIN_BYTES = 241;

    static final boolean AVAILABLE = NativeCode.isLoaded();

    /** The widest vectors that this processor is good at, 0 for none. Each level below works, too, with the same result. */
    static final int BEST_LEVEL = AVAILABLE ? bestLevel() : 0;

    private NativeXxh3() {}

    private static native int bestLevel();

    /**
     * Writes the canonical digest of {@code length} bytes, at least {@link #MIN_BYTES}, at the address to the array.
     *
     * @param level from 0 to {@link #BEST_LEVEL}
     */
    static native void hash(int level, long address, int length, byte[] out, int outOffset);
}
