package io.fdt.core.verify;

import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.wire.Bounds;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Reads a manifest file in the format of {@code sha256sum} and similar programs: a hash, a space, a space or an
 * asterisk, and a path; a backslash at the start of a line means that the path has escapes. For one use and one thread.
 */
final class ManifestReader {
    /** Every byte of a path may be escaped. */
    private static final int MAX_LINE_BYTES = 2 * Bounds.MAX_PATH_BYTES + 256;

    private final RawPath shownPath;
    private final FileHash kind;
    private final ReceiptEntries entries = new ReceiptEntries();
    private long line;

    private ManifestReader(RawPath shownPath, FileHash kind) {
        this.shownPath = shownPath;
        this.kind = kind;
    }

    /** Returns files of which only path and hash are known; throws USAGE if the file is not such a manifest. */
    static ReceiptEntries read(RawPath path, FileHash kind) {
        ManifestReader reader = new ManifestReader(path, kind);
        try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(path.text())), 1 << 16)) {
            for (byte[] next = reader.nextLine(in); next != null; next = reader.nextLine(in)) {
                reader.add(next);
            }
        } catch (IOException | InvalidPathException e) {
            throw Cause.USAGE.failure(
                    "cannot read the manifest " + path.display() + ": " + TransferException.reason(e), e);
        }
        reader.entries.sort();
        if (reader.entries.count() == 0) {
            throw Cause.USAGE.failure("the manifest " + path.display() + " lists no file");
        }
        return reader.entries;
    }

    private TransferException damaged(String why) {
        return Cause.USAGE.failure("line " + line + " of the manifest " + shownPath.display() + " " + why);
    }

    private byte @Nullable [] nextLine(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        int next = in.read();
        if (next < 0) {
            return null;
        }
        line++;
        for (; next >= 0 && next != '\n'; next = in.read()) {
            bytes.write(next);
            if (bytes.size() > MAX_LINE_BYTES) {
                throw damaged("is too long");
            }
        }
        return bytes.toByteArray();
    }

    private void add(byte[] text) {
        int from = text.length > 0 && text[0] == '\\' ? 1 : 0;
        int space = from + 2 * kind.lengthBytes();
        boolean twoColumns =
                text.length > space + 2 && text[space] == ' ' && (text[space + 1] == ' ' || text[space + 1] == '*');
        if (!twoColumns) {
            throw damaged("is not a " + kind.label() + " hash, two spaces and a path");
        }
        byte[] hash;
        try {
            hash = HexFormat.of().parseHex(new String(text, from, space - from, StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException e) {
            throw damaged("does not begin with a " + kind.label() + " hash");
        }
        byte[] name = Arrays.copyOfRange(text, space + 2, text.length);
        entries.add(entry(path(from == 1 ? unescaped(name) : name)), hash);
    }

    private byte[] unescaped(byte[] escaped) {
        byte[] out = new byte[escaped.length];
        int length = 0;
        for (int i = 0; i < escaped.length; i++) {
            byte next = escaped[i];
            if (next == '\\') {
                next = switch (++i < escaped.length ? escaped[i] : 0) {
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    case '\\' -> '\\';
                    default -> throw damaged("has an unknown escape");
                };
            }
            out[length++] = next;
        }
        return Arrays.copyOf(out, length);
    }

    /** Programs that list a tree write {@code ./} before each path. */
    private RawPath path(byte[] name) {
        int from = 0;
        while (name.length > from + 2 && name[from] == '.' && name[from + 1] == '/') {
            from += 2;
        }
        for (byte each : name) {
            if (each == 0) {
                throw damaged("has a NUL byte in its path");
            }
        }
        RawPath path = RawPath.ofBytes(Arrays.copyOfRange(name, from, name.length));
        if (path.isEmpty() || !path.isPlainRelative() || path.lengthBytes() > Bounds.MAX_PATH_BYTES) {
            throw damaged("has a path that is not below the target");
        }
        return path;
    }

    private static FileEntry entry(RawPath path) {
        return new FileEntry(path, FileEntry.Kind.FILE, FileEntry.UNKNOWN_SIZE, EntryMetadata.UNKNOWN, false, null);
    }
}
