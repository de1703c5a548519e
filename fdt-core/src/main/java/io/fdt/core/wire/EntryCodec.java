package io.fdt.core.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The only codec of entries. Messages, shards and lists on this host contain an entry as a CBOR array, and receipts as
 * members of a JSON object. Each field is described once for all of them.
 */
public final class EntryCodec {
    private EntryCodec() {}

    /** Adds the members of an entry to the present object. */
    public static void writeMembers(JsonGenerator json, FileEntry entry) throws IOException {
        JsonForm.write(json, entry, EntryCodec::entry);
    }

    /**
     * Returns the entry that has these members, or throws an IOException if it is not valid.
     *
     * @param members numbers as {@code Long}, and text
     */
    public static FileEntry ofMembers(Map<String, @Nullable Object> members) throws IOException {
        return JsonForm.read(members, EntryCodec::entry);
    }

    public static byte[] encode(FileEntry entry) {
        CborWriter cbor = new CborWriter();
        try {
            write(cbor, entry);
        } catch (IOException e) {
            throw new IllegalStateException("memory cannot fail to be written", e);
        }
        return cbor.written();
    }

    /** Returns the entry, whose metadata may be unknown, or throws an IOException if it is not valid. */
    public static FileEntry decode(byte[] bytes) throws IOException {
        return decoded(CborReader.read(bytes));
    }

    static void write(CborWriter cbor, FileEntry entry) throws IOException {
        Form.<FileEntry>array(EntryCodec::entry, Failure.HERE).write(cbor, entry);
    }

    /** Reads an entry from a peer, which knows its metadata. */
    static FileEntry read(@Nullable Object value) throws IOException {
        FileEntry entry = decoded(value);
        if (!entry.metadata().isKnown()) {
            throw Fields.misfit("mode");
        }
        return entry;
    }

    private static FileEntry decoded(@Nullable Object value) throws IOException {
        return Form.<FileEntry>array("entry", EntryCodec::entry, Failure.HERE).read(value);
    }

    private static FileEntry entry(Form<FileEntry> f) throws IOException {
        RawPath path = f.path("path", FileEntry::path);
        Kind kind = f.choice("kind", Kind.values(), FileEntry::kind);
        long sizeBytes = f.number("size", FileEntry.UNKNOWN_SIZE, Long.MAX_VALUE, FileEntry::sizeBytes);
        EntryMetadata known = f.optionalPart(
                "mode", entry -> entry.metadata().isKnown() ? entry.metadata() : null, EntryCodec::metadata);
        EntryMetadata metadata = known == null ? EntryMetadata.UNKNOWN : known;
        f.refuseIf(sizeBytes < 0 && kind != Kind.STREAM && metadata.isKnown(), "size");
        boolean sparse = !f.isShown() && f.flag("sparse", FileEntry::sparse);
        RawPath link = f.optionalPath("link", FileEntry::linkTarget);
        f.refuseIf(kind == Kind.LINK ? link == null : link != null && kind != Kind.FILE, "link");
        FileRange range = f.optionalPart("range_offset", FileEntry::range, EntryCodec::range);
        f.refuseIf(range != null && (kind != Kind.FILE || sizeBytes != range.lengthBytes()), "range");
        return new FileEntry(path, kind, sizeBytes, metadata, sparse, link, range);
    }

    private static EntryMetadata metadata(Form<EntryMetadata> f) throws IOException {
        int mode = f.integer("mode", 0, 07777, EntryMetadata::mode);
        long seconds = f.number("mtime_seconds", Long.MIN_VALUE, Long.MAX_VALUE, EntryMetadata::modifiedSeconds);
        int nanos = f.integer("mtime_nanos", 0, 999_999_999, EntryMetadata::modifiedNanos);
        if (f.isShown()) {
            return new EntryMetadata(mode, seconds, nanos, 0, 0, List.of());
        }
        return new EntryMetadata(
                mode,
                seconds,
                nanos,
                id(f, "owner", EntryMetadata::uid),
                id(f, "group", EntryMetadata::gid),
                f.field(
                        "attributes",
                        EntryMetadata::attributes,
                        EntryCodec::writeAttributes,
                        EntryCodec::readAttributes));
    }

    private static int id(Form<EntryMetadata> f, String name, ToIntFunction<EntryMetadata> of) throws IOException {
        return (int) f.number(name, 0, 0xFFFF_FFFFL, metadata -> Integer.toUnsignedLong(of.applyAsInt(metadata)));
    }

    private static void writeAttributes(CborWriter cbor, List<Attribute> attributes) throws IOException {
        cbor.startArray();
        for (Attribute attribute : attributes) {
            cbor.bytes(attribute.name().toBytes());
            cbor.bytes(attribute.value());
        }
        cbor.end();
    }

    private static List<Attribute> readAttributes(@Nullable Object value) throws IOException {
        List<?> raw = Fields.list(value, 2 * Bounds.MAX_ATTRIBUTES, "attributes");
        List<Attribute> attributes = new ArrayList<>(raw.size() / 2);
        for (int i = 0; i + 1 < raw.size(); i += 2) {
            attributes.add(new Attribute(
                    Fields.path(raw.get(i), "attribute"),
                    Fields.bytes(raw.get(i + 1), Bounds.MAX_ATTRIBUTE_BYTES, "attribute")));
        }
        return attributes;
    }

    private static FileRange range(Form<FileRange> f) throws IOException {
        long offset = f.number("range_offset", FileRange.ALL, Long.MAX_VALUE, FileRange::offset);
        long fileBytes = f.size("file_size", FileRange::fileBytes);
        long rangeBytes = f.size("range_size", FileRange::rangeBytes);
        f.refuseIf(!FileRange.isPossible(offset, fileBytes, rangeBytes), "range");
        return new FileRange(offset, fileBytes, rangeBytes);
    }
}
