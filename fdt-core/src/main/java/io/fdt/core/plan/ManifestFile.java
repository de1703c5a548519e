package io.fdt.core.plan;

import io.fdt.core.digest.FileHash;

/** A file with a line for every file of a copy, as {@code sha256sum} and its like write and check it. */
public record ManifestFile(FileHash kind, RawPath file) {}
