package io.fdt.core.storage.posix;

/** The room on a file system; -1 for what it does not report. */
public record FileSystemSpace(long freeBytes, long bytes, long freeFiles, long files) {}
