package io.fdt.cli.list;

import io.fdt.core.JsonLine;
import io.fdt.core.Word;
import io.fdt.core.listing.ListObserver.Entry;
import io.fdt.core.listing.ListObserver.Space;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The fields of entries and file systems in JSON. Keys are public: new ones may be added, and none changes. */
public final class EntryJson {
    /** The times whose years have four digits. */
    private static final long SHOWN_SECONDS_MIN = -62_167_219_200L;

    private static final long SHOWN_SECONDS_MAX = 253_402_300_799L;

    private EntryJson() {}

    /** @param path as the user knows it: JSON escapes replace control characters and bytes that are not UTF-8 */
    public static void write(JsonLine line, Entry entry, String path) throws IOException {
        line.text("path", path);
        line.text("kind", Word.of(entry.kind()));
        line.number("bytes", entry.bytes());
        line.text("mtime", time(entry));
        line.text("mode", String.format(Locale.ROOT, "%04o", entry.mode()));
        RawPath link = entry.linkTarget();
        if (link != null) {
            line.text("target", link.text());
        }
    }

    /** Writes the checksum of an entry; nothing for an empty digest. */
    public static void writeSum(JsonLine line, String type, byte[] digest) throws IOException {
        if (digest.length > 0) {
            line.object("checksums", sums -> sums.text(type, HexFormat.of().formatHex(digest)));
        }
    }

    public static void write(JsonLine line, Space space, String path) throws IOException {
        line.text("path", path);
        line.numberIfKnown("free_bytes", space.freeBytes());
        line.numberIfKnown("bytes", space.bytes());
        line.numberIfKnown("free_inodes", space.freeFiles());
        line.numberIfKnown("inodes", space.files());
    }

    /** Returns the modification time; null if its year has not four digits. */
    static @Nullable String time(Entry entry) {
        long seconds = entry.modifiedSeconds();
        return seconds < SHOWN_SECONDS_MIN || seconds > SHOWN_SECONDS_MAX
                ? null
                : Instant.ofEpochSecond(seconds, entry.modifiedNanos()).toString();
    }
}
