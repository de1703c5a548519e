package io.fdt.core.plan;

import io.fdt.core.digest.NodeHash;

/**
 * How files are cut and hashed.
 *
 * @param hash of every chunk and file: what is compared, with the checksums that are computed beside it
 * @param bytes of a chunk, a power of two between one leaf and 64 leaves
 */
public record Chunking(NodeHash hash, int bytes) {}
