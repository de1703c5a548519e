package io.fdt.core.digest;

/** A hash of file contents: as a tree over leaves, or over the bytes in order. */
public sealed interface HashKind permits NodeHash, FileHash {
    /** The name for display, also printed before the colon of a digest. */
    String label();

    int lengthBytes();
}
