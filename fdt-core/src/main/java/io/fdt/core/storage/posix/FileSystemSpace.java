package io.fdt.core.storage.posix;

/** The space on a file system; -1 for values that it does not report. */
public record FileSystemSpace(long freeBytes, long bytes, long freeFiles, long files) {}
