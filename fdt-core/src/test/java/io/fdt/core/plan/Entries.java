package io.fdt.core.plan;

import io.fdt.core.plan.FileEntry.Kind;
import java.util.List;

/** Entries for tests that need no particular metadata, or only some of it. */
public final class Entries {
    /** What an entry has unless a test gives it something else; no two numbers are the same. */
    public static final EntryMetadata METADATA = new EntryMetadata(0644, 1, 2, 3, 4, List.of());

    private Entries() {}

    public static FileEntry file(String path, long sizeBytes) {
        return file(RawPath.ofText(path), sizeBytes);
    }

    public static FileEntry file(RawPath path, long sizeBytes) {
        return file(path, sizeBytes, METADATA);
    }

    public static FileEntry file(String path, long sizeBytes, EntryMetadata metadata) {
        return file(RawPath.ofText(path), sizeBytes, metadata);
    }

    public static FileEntry file(RawPath path, long sizeBytes, EntryMetadata metadata) {
        return of(Kind.FILE, path, sizeBytes, metadata);
    }

    public static FileEntry directory(String path, EntryMetadata metadata) {
        return directory(RawPath.ofText(path), metadata);
    }

    public static FileEntry directory(RawPath path, EntryMetadata metadata) {
        return of(Kind.DIRECTORY, path, 0, metadata);
    }

    public static FileEntry link(RawPath path, RawPath target, EntryMetadata metadata) {
        return new FileEntry(path, Kind.LINK, 0, metadata, false, target);
    }

    /** A stream of unknown length. */
    public static FileEntry stream(String path, EntryMetadata metadata) {
        return of(Kind.STREAM, RawPath.ofText(path), FileEntry.UNKNOWN_SIZE, metadata);
    }

    public static FileEntry of(Kind kind, RawPath path, long sizeBytes, EntryMetadata metadata) {
        return new FileEntry(path, kind, sizeBytes, metadata, false, null);
    }

    /** A mode and a time, for files of root without attributes. */
    public static EntryMetadata metadata(int mode, long modifiedSeconds, int modifiedNanos) {
        return new EntryMetadata(mode, modifiedSeconds, modifiedNanos, 0, 0, List.of());
    }
}
