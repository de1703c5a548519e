package io.fdt.core.digest;

/**
 * What is computed of every node of a file's tree, and so of a chunk and of a whole file: a digest, followed by
 * checksums of its bytes.
 */
public sealed interface NodeHash extends HashKind permits DigestKind, SummedDigest {
    DigestKind digest();

    Checksums sums();
}
