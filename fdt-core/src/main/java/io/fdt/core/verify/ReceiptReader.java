package io.fdt.core.verify;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.Word;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeSum;
import io.fdt.core.wire.Bounds;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the receipt of a copy, and accepts it only as a whole: the document must be complete, and if it has a digest of
 * everything, that must match its entries. Ignores unknown fields. For one use and one thread.
 */
final class ReceiptReader {
    private static final int VERSION = 1;
    private static final byte[] NO_DIGEST = new byte[0];

    private final RawPath shownPath;
    private final ReceiptEntries entries = new ReceiptEntries();
    private @Nullable DigestKind kind;
    /** Whether the sum can be compared: everything that is part of the copy's own sum is known here. */
    private boolean sumComplete = true;

    private boolean typed;
    private int version;
    private boolean listed;
    private @Nullable String treeDigest;
    private @Nullable String target;
    private boolean successful = true;
    private long files;
    private long failed;

    private ReceiptReader(RawPath shownPath) {
        this.shownPath = shownPath;
    }

    /**
     * A receipt to verify against.
     *
     * @param target of the copy, as its server or its user's host has it; null in the receipt of a shard or a job
     * @param failed entries that the copy did not put in place; they are not among the others
     * @param successful whether the copy was
     */
    record Receipt(
            ReceiptEntries entries,
            DigestKind digest,
            @Nullable String target,
            long failed,
            boolean successful) {}

    /**
     * @throws TransferException USAGE, if the file is not a complete receipt with digests that this release supports
     */
    static Receipt read(RawPath path) {
        ReceiptReader reader = new ReceiptReader(path);
        try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(path.text())), 1 << 16)) {
            return reader.read(in);
        } catch (JacksonException e) {
            throw reader.damaged(e.getOriginalMessage(), e);
        } catch (InvalidPathException e) {
            throw FailureKind.USAGE.failure("Java cannot open the receipt " + path.display() + " in this locale", e);
        } catch (IOException e) {
            throw FailureKind.USAGE.failure(
                    "cannot read the receipt " + path.display() + ": " + TransferException.reason(e), e);
        }
    }

    private TransferException damaged(String why, @Nullable Throwable cause) {
        String line = why.lines().findFirst().orElse("");
        return FailureKind.USAGE.failure(
                "the receipt " + shownPath.display() + " is damaged, or is not a receipt: " + line, cause);
    }

    private Receipt read(InputStream in) throws IOException {
        try (JsonParser json = new JsonFactory().createParser(in)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw damaged("it contains no JSON object", null);
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                readField(json, name);
            }
            if (json.nextToken() != null) {
                throw damaged("it has data after its end", null);
            }
        }
        requireWhole();
        DigestKind known = kind;
        if (files > 0 && known == null) {
            throw FailureKind.USAGE.failure("the receipt " + shownPath.display()
                    + " contains no digests, because the copy hashed none of its files");
        }
        entries.sort();
        return new Receipt(entries, known == null ? DigestKind.XXH3_128 : known, target, failed, successful);
    }

    private void readField(JsonParser json, String name) throws IOException {
        switch (name) {
            case "type" -> typed = "fdt-receipt".equals(json.getValueAsString());
            case "version" -> {
                version = json.getValueAsInt();
                if (typed && version != VERSION) {
                    throw FailureKind.USAGE.failure("the receipt " + shownPath.display() + " is of version " + version
                            + "; this release supports version " + VERSION);
                }
            }
            case "files" -> readEntries(json);
            case "digest" -> treeDigest = json.getValueAsString();
            case "target" -> target = json.getValueAsString();
            case "outcome" -> successful = "ok".equals(json.getValueAsString());
            default -> json.skipChildren();
        }
    }

    private void requireWhole() {
        if (!typed || version != VERSION || !listed) {
            throw damaged("it is not a receipt of fdt client", null);
        }
        DigestKind known = kind;
        if (treeDigest != null && known != null && sumComplete) {
            TreeSum sum = new TreeSum(known);
            entries.addAllTo(sum);
            if (!treeDigest.equals(sum.print())) {
                throw damaged("its entries do not match its digest", null);
            }
        }
    }

    private void readEntries(JsonParser json) throws IOException {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw damaged("its field files is not a list", null);
        }
        while (json.nextToken() == JsonToken.START_OBJECT) {
            readEntry(json);
        }
        if (json.currentToken() != JsonToken.END_ARRAY) {
            throw damaged("its field files lists something other than objects", null);
        }
        listed = true;
    }

    private void readEntry(JsonParser json) throws IOException {
        String path = null;
        String kindWord = null;
        String outcome = null;
        String digest = null;
        String link = null;
        long sizeBytes = -1;
        int mode = EntryRules.UNKNOWN;
        long seconds = 0;
        int nanos = EntryRules.UNKNOWN;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "path" -> path = json.getValueAsString();
                case "kind" -> kindWord = json.getValueAsString();
                case "outcome" -> outcome = json.getValueAsString();
                case "size" -> sizeBytes = json.getLongValue();
                case "mode" -> mode = json.getIntValue();
                case "mtime_seconds" -> seconds = json.getLongValue();
                case "mtime_nanos" -> nanos = json.getIntValue();
                case "link" -> link = json.getValueAsString();
                case "digest" -> digest = json.getValueAsString();
                case "range_offset" -> throw ofRange();
                default -> json.skipChildren();
            }
        }
        if (path == null || kindWord == null || outcome == null) {
            throw damaged("an entry has no path, kind or outcome", null);
        }
        if (outcome.equals("failed")) {
            failed++;
            return;
        }
        Kind entryKind = kind(kindWord);
        if (entryKind == Kind.STREAM) {
            // It came from a pipe and became a file, with its own mode and time.
            entryKind = Kind.FILE;
            mode = EntryRules.UNKNOWN;
            nanos = EntryRules.UNKNOWN;
            sumComplete = false;
        }
        boolean file = entryKind == Kind.FILE;
        add(
                new FileEntry(
                        path(path),
                        entryKind,
                        file ? sizeBytes : 0,
                        mode,
                        seconds,
                        nanos,
                        0,
                        0,
                        false,
                        entryKind == Kind.LINK && link != null ? path(link, Bounds.MAX_PATH_BYTES) : null,
                        List.of()),
                digest == null ? NO_DIGEST : digest(digest));
    }

    private void add(FileEntry entry, byte[] digest) {
        boolean file = entry.kind() == Kind.FILE;
        if (file && entry.sizeBytes() < 0) {
            throw damaged("a file has no size", null);
        }
        if (file) {
            files++;
        }
        sumComplete &= file ? digest.length > 0 : entry.kind() != Kind.LINK || entry.linkTarget() != null;
        entries.add(entry, digest);
    }

    /** The file that contains the range is known, but not whether it exists yet. */
    private TransferException ofRange() {
        return FailureKind.USAGE.failure("the receipt " + shownPath.display()
                + " lists ranges of files; verify against receipt.json of the job, which fdt shard finish"
                + " writes");
    }

    private Kind kind(String word) {
        for (Kind each : Kind.values()) {
            if (Word.of(each).equals(word)) {
                return each;
            }
        }
        throw damaged("an entry is of an unknown kind", null);
    }

    private RawPath path(String text) {
        RawPath path = path(text, Bounds.MAX_PATH_BYTES);
        if (!path.isPlainRelative()) {
            throw damaged("an entry's path leads out of the target", null);
        }
        return path;
    }

    private RawPath path(String text, int maxBytes) {
        if (text.indexOf('\0') >= 0 || text.length() > maxBytes) {
            throw damaged("an entry's path is not valid", null);
        }
        RawPath path = RawPath.ofText(text);
        if (path.lengthBytes() > maxBytes) {
            throw damaged("an entry's path is too long", null);
        }
        return path;
    }

    /** All digests of a receipt are of one kind. */
    private byte[] digest(String text) {
        int colon = text.indexOf(':');
        DigestKind found = colon < 0 ? null : kindOf(text.substring(0, colon));
        if (found == null || (kind != null && kind != found)) {
            throw damaged("a digest is of an unknown type, or of another type than the others", null);
        }
        kind = found;
        try {
            byte[] digest = HexFormat.of().parseHex(text, colon + 1, text.length());
            if (digest.length != found.lengthBytes()) {
                throw damaged("a digest is of the wrong length", null);
            }
            return digest;
        } catch (IllegalArgumentException e) {
            throw damaged("a digest is not a hexadecimal number", e);
        }
    }

    private static @Nullable DigestKind kindOf(String label) {
        for (DigestKind each : DigestKind.values()) {
            if (each != DigestKind.NONE && each.label().equals(label)) {
                return each;
            }
        }
        return null;
    }
}
