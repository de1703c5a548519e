package io.fdt.core.wire;

import static io.fdt.core.wire.Fields.at;
import static io.fdt.core.wire.Fields.count;
import static io.fdt.core.wire.Fields.flag;
import static io.fdt.core.wire.Fields.list;
import static io.fdt.core.wire.Fields.number;
import static io.fdt.core.wire.Fields.path;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Encodes an entry of a tree as CBOR: a positional array. */
final class EntryCodec {
    private EntryCodec() {}

    static void write(CborWriter cbor, FileEntry entry) throws IOException {
        cbor.startArray();
        cbor.bytes(entry.path().toBytes());
        cbor.number(entry.kind().code());
        cbor.number(entry.sizeBytes());
        cbor.number(entry.mode());
        cbor.number(entry.modifiedSeconds());
        cbor.number(entry.modifiedNanos());
        cbor.number(Integer.toUnsignedLong(entry.uid()));
        cbor.number(Integer.toUnsignedLong(entry.gid()));
        cbor.flag(entry.sparse());
        RawPath link = entry.linkTarget();
        if (link == null) {
            cbor.none();
        } else {
            cbor.bytes(link.toBytes());
        }
        cbor.startArray();
        for (FileEntry.Attribute attribute : entry.attributes()) {
            cbor.bytes(attribute.name().toBytes());
            cbor.bytes(attribute.value());
        }
        cbor.end();
        FileRange range = entry.range();
        if (range != null) {
            cbor.startArray();
            cbor.number(range.offset());
            cbor.number(range.fileBytes());
            cbor.number(range.rangeBytes());
            cbor.end();
        }
        cbor.end();
    }

    static FileEntry read(List<?> fields) throws IOException {
        FileEntry.Kind kind = FileEntry.Kind.ofCode(count(at(fields, 1), "kind"));
        Object link = at(fields, 9);
        boolean mayLink = kind == FileEntry.Kind.LINK || kind == FileEntry.Kind.FILE;
        if (kind == null || (kind == FileEntry.Kind.LINK && link == null) || (link != null && !mayLink)) {
            throw Fields.misfit("kind");
        }
        long minSize = kind == FileEntry.Kind.STREAM ? FileEntry.UNKNOWN_SIZE : 0;
        List<?> raw = list(at(fields, 10), 2 * Bounds.MAX_ATTRIBUTES, "attributes");
        List<FileEntry.Attribute> attributes = new ArrayList<>(raw.size() / 2);
        for (int i = 0; i + 1 < raw.size(); i += 2) {
            attributes.add(new FileEntry.Attribute(
                    path(raw.get(i), "attribute"),
                    Fields.bytes(raw.get(i + 1), Bounds.MAX_ATTRIBUTE_BYTES, "attribute")));
        }
        long sizeBytes = number(at(fields, 2), minSize, Long.MAX_VALUE, "size");
        FileRange range = fields.size() <= 11 ? null : range(list(fields.get(11), 3, "range"));
        if (range != null && (kind != FileEntry.Kind.FILE || sizeBytes != range.lengthBytes())) {
            throw Fields.misfit("range");
        }
        return new FileEntry(
                path(at(fields, 0), "path"),
                kind,
                sizeBytes,
                (int) number(at(fields, 3), 0, 07777, "mode"),
                number(at(fields, 4), Long.MIN_VALUE, Long.MAX_VALUE, "time"),
                (int) number(at(fields, 5), 0, 999_999_999, "time"),
                (int) number(at(fields, 6), 0, 0xFFFFFFFFL, "owner"),
                (int) number(at(fields, 7), 0, 0xFFFFFFFFL, "group"),
                flag(at(fields, 8), "sparse"),
                link == null ? null : path(link, "link"),
                attributes,
                range);
    }

    private static FileRange range(List<?> fields) throws IOException {
        long offset = number(at(fields, 0), FileRange.ALL, Long.MAX_VALUE, "range");
        long fileBytes = number(at(fields, 1), 0, Long.MAX_VALUE, "range");
        long rangeBytes = number(at(fields, 2), 0, Long.MAX_VALUE, "range");
        if (!FileRange.isPossible(offset, fileBytes, rangeBytes)) {
            throw Fields.misfit("range");
        }
        return new FileRange(offset, fileBytes, rangeBytes);
    }
}
