package io.fdt.core.digest;

/** How content is hashed: as a tree over leaves, or byte after byte. */
public sealed interface HashKind permits DigestKind, FileHash {
    /** The word for people, and before the colon of a printed digest. */
    String label();

    int lengthBytes();
}
