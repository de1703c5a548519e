package io.fdt.core.plan;

import io.fdt.core.digest.FileHash;

/** A file with one line for every file of a copy, in the format of {@code sha256sum} and similar programs. */
public record ManifestFile(FileHash kind, RawPath file) {}
