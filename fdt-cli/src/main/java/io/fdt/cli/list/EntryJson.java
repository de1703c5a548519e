package io.fdt.cli.list;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.files.ListObserver.Entry;
import io.fdt.core.files.ListObserver.Space;
import io.fdt.core.plan.RawPath;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** The fields of entries and file systems in JSON. Keys are public: new ones may be added, and none changes. */
public final class EntryJson {
    /** The times whose years have four digits. */
    private static final long SHOWN_SECONDS_MIN = -62_167_219_200L;

    private static final long SHOWN_SECONDS_MAX = 253_402_300_799L;

    private EntryJson() {}

    /** @param path as the user knows it: JSON escapes replace control characters and bytes that are not UTF-8 */
    public static JsonObject of(Entry entry, String path) {
        JsonObject object = new JsonObject()
                .with("path", path)
                .with("kind", Word.of(entry.kind()))
                .with("bytes", entry.bytes())
                .with("mtime", time(entry))
                .with("mode", Figures.text("%04o", entry.mode()));
        RawPath link = entry.linkTarget();
        return link == null ? object : object.with("target", link.text());
    }

    static JsonObject of(String type, Entry entry, String path) {
        return new JsonObject().with("type", type).with(of(entry, path));
    }

    /** Adds what an operation found out about an entry: its checksum, unless the digest is empty, and the doubt. */
    public static JsonObject withFound(JsonObject entry, String type, byte[] digest, @Nullable String doubt) {
        JsonObject known = doubt == null ? entry : entry.with("data", doubt);
        return digest.length == 0
                ? known
                : known.with(
                        "checksums", new JsonObject().with(type, HexFormat.of().formatHex(digest)));
    }

    public static JsonObject of(Space space, String path) {
        return new JsonObject()
                .with("path", path)
                .withKnown("free_bytes", space.freeBytes())
                .withKnown("bytes", space.bytes())
                .withKnown("free_inodes", space.freeFiles())
                .withKnown("inodes", space.files());
    }

    static JsonObject of(String type, Space space, String path) {
        return new JsonObject().with("type", type).with(of(space, path));
    }

    /** Returns the modification time; null if its year has not four digits. */
    static @Nullable String time(Entry entry) {
        long seconds = entry.modifiedSeconds();
        return seconds < SHOWN_SECONDS_MIN || seconds > SHOWN_SECONDS_MAX
                ? null
                : Instant.ofEpochSecond(seconds, entry.modifiedNanos()).toString();
    }
}
