package io.fdt.core.verify;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonReader;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeSum;
import io.fdt.core.wire.EntryCodec;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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
    /** What of an earlier run is to be continued; null for a verification. */
    private final @Nullable NodeHash wanted;

    private @Nullable DigestKind kind;
    /** Of the entries, if they have no digest. */
    private @Nullable FileHash checksum;

    /** Whether the sum can be compared: everything that is part of the copy's own sum is known here. */
    private boolean sumComplete = true;

    private long files;
    private long failed;

    private ReceiptReader(RawPath shownPath, @Nullable NodeHash wanted) {
        this.shownPath = shownPath;
        this.wanted = wanted;
    }

    /**
     * A receipt to verify against.
     *
     * @param target of the copy, as its server or its user's host has it; null in the receipt of a shard or a job
     * @param failed entries that the copy did not put in place; they are not among the others
     * @param successful whether the copy was
     */
    record Receipt(
            ReceiptEntries entries, HashKind hash, @Nullable String target, long failed, boolean successful) {}

    /**
     * @param wanted the hash of a copy that this receipt is for; then, files without all of it have only the digest
     * @throws TransferException USAGE, if the file is not a complete receipt with digests that this release supports
     */
    static Receipt read(RawPath path, @Nullable NodeHash wanted) {
        return new ReceiptReader(path, wanted).read();
    }

    private Receipt read() {
        RawPath path = shownPath;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(Path.of(path.text())), 1 << 16)) {
            return read(in);
        } catch (InvalidPathException e) {
            throw Cause.USAGE.failure("Java cannot open the receipt " + path.display() + " in this locale", e);
        } catch (IOException e) {
            throw Cause.USAGE.failure(
                    "cannot read the receipt " + path.display() + ": " + TransferException.reason(e), e);
        }
    }

    private TransferException damaged(String why, @Nullable Throwable cause) {
        String line = why.lines().findFirst().orElse("");
        return Cause.USAGE.failure(
                "the receipt " + shownPath.display() + " is damaged, or is not a receipt: " + line, cause);
    }

    private Receipt read(InputStream in) throws IOException {
        JsonObject receipt;
        try (JsonReader json = JsonReader.of(in)) {
            receipt = next(json);
            if (receipt == null || next(json) != null) {
                throw damaged(receipt == null ? "it contains no JSON object" : "it has data after its end", null);
            }
        }
        requireWhole(receipt);
        DigestKind known = kind;
        FileHash other = checksum;
        if (files > 0 && known == null && other == null && wanted == null) {
            throw Cause.USAGE.failure("the receipt " + shownPath.display()
                    + " contains no digests, because the copy hashed none of its files");
        }
        entries.sort();
        HashKind hash = known != null ? known : other != null ? other : DigestKind.XXH3_128;
        String target = receipt.text("target");
        String outcome = receipt.text("outcome");
        return new Receipt(
                entries, hash, target.isEmpty() ? null : target, failed, outcome.isEmpty() || outcome.equals("ok"));
    }

    private @Nullable JsonObject next(JsonReader json) throws IOException {
        try {
            return json.next("files", this::onEntry);
        } catch (JsonReader.Malformed e) {
            throw damaged(TransferException.reason(e), e);
        }
    }

    private void requireType(JsonObject receipt) {
        boolean typed = receipt.text("type").equals("fdt-receipt");
        long version = receipt.count("version");
        if (typed && version >= 0 && version != VERSION) {
            throw Cause.USAGE.failure("the receipt " + shownPath.display() + " is of version " + version
                    + "; this release supports version " + VERSION);
        }
        if (!typed || version != VERSION) {
            throw damaged("it is not a receipt of fdt client", null);
        }
    }

    private void requireWhole(JsonObject receipt) {
        requireType(receipt);
        if (!(receipt.values().get("files") instanceof List)) {
            throw damaged("its field files is not a list", null);
        }
        String treeDigest = receipt.text("digest");
        DigestKind known = kind;
        if (!treeDigest.isEmpty() && known != null && sumComplete) {
            TreeSum sum = new TreeSum(known);
            entries.addAllTo(sum, known.lengthBytes());
            if (!treeDigest.equals(sum.print())) {
                throw damaged("its entries do not match its digest", null);
            }
        }
    }

    private void onEntry(JsonObject before, JsonObject listed) {
        requireType(before);
        Map<String, @Nullable Object> members = listed.values();
        Map<FileHash, byte[]> checksums = checksums(listed.part("checksums"));
        Object outcome = members.get("outcome");
        if (outcome == null) {
            throw damaged("an entry has no outcome", null);
        }
        if (outcome.equals("failed")) {
            failed++;
            return;
        }
        FileEntry entry = entry(members);
        if (entry.kind() == Kind.STREAM) {
            // It came from a pipe and became a file, with its own mode and time.
            entry = new FileEntry(entry.path(), Kind.FILE, entry.sizeBytes(), EntryMetadata.UNKNOWN, false, null);
            sumComplete = false;
        }
        byte[] digest = members.get("digest") instanceof String text ? digest(text) : NO_DIGEST;
        add(entry, wanted == null ? value(digest, checksums) : value(wanted, digest, checksums));
    }

    private Map<FileHash, byte[]> checksums(JsonObject listed) {
        Map<FileHash, byte[]> checksums = new EnumMap<>(FileHash.class);
        listed.values().forEach((label, value) -> {
            FileHash each = FileHash.ofLabel(label);
            if (each != null && value instanceof String digits) {
                checksums.put(each, hexadecimal(each, digits, 0));
            }
        });
        return checksums;
    }

    /** For a verification. A receipt without digests is verified by the first kind of checksum that it has. */
    private byte[] value(byte[] digest, Map<FileHash, byte[]> checksums) {
        if (digest.length > 0 || kind != null || checksums.isEmpty()) {
            return digest;
        }
        FileHash compared = checksum;
        if (compared == null) {
            compared = checksums.keySet().iterator().next();
            checksum = compared;
        }
        sumComplete = false;
        return checksums.getOrDefault(compared, NO_DIGEST);
    }

    private static byte[] value(NodeHash hash, byte[] digest, Map<FileHash, byte[]> checksums) {
        if (digest.length != hash.digest().lengthBytes()
                || !checksums.keySet().containsAll(hash.sums().kinds())) {
            return digest;
        }
        ByteBuffer value = ByteBuffer.allocate(hash.lengthBytes()).put(digest);
        for (FileHash each : hash.sums().kinds()) {
            value.put(checksums.get(each));
        }
        return value.array();
    }

    private FileEntry entry(Map<String, @Nullable Object> members) {
        FileEntry entry;
        try {
            entry = EntryCodec.ofMembers(members);
        } catch (IOException e) {
            throw damaged(String.valueOf(e.getMessage()), e);
        }
        if (!entry.path().isPlainRelative()) {
            throw damaged("an entry's path leads out of the target", null);
        }
        if (entry.range() != null) {
            throw ofRange();
        }
        return entry;
    }

    private void add(FileEntry entry, byte[] digest) {
        boolean file = entry.kind() == Kind.FILE;
        if (file && entry.sizeBytes() < 0) {
            throw damaged("a file has no size", null);
        }
        if (file) {
            files++;
        }
        sumComplete &= !file || digest.length > 0;
        entries.add(entry, digest);
    }

    /** The file that contains the range is known, but not whether it exists yet. */
    private TransferException ofRange() {
        return Cause.USAGE.failure("the receipt " + shownPath.display()
                + " lists ranges of files; verify against receipt.json of the job, which fdt shard finish writes");
    }

    /** All digests of a receipt are of one kind. */
    private byte[] digest(String text) {
        int colon = text.indexOf(':');
        DigestKind found = colon < 0 ? null : kindOf(text.substring(0, colon));
        if (found == null || (kind != null && kind != found)) {
            throw damaged("a digest is of an unknown type, or of another type than the others", null);
        }
        kind = found;
        if (checksum != null) {
            throw damaged("only some of its files have digests", null);
        }
        return hexadecimal(found, text, colon + 1);
    }

    private byte[] hexadecimal(HashKind hash, String text, int start) {
        try {
            byte[] digest = HexFormat.of().parseHex(text, start, text.length());
            if (digest.length != hash.lengthBytes()) {
                throw damaged("a digest is of the wrong length", null);
            }
            return digest;
        } catch (IllegalArgumentException e) {
            throw damaged("a digest is not a hexadecimal number", e);
        }
    }

    private static @Nullable DigestKind kindOf(String label) {
        return Stream.of(DigestKind.values())
                .filter(each -> each != DigestKind.NONE && each.label().equals(label))
                .findFirst()
                .orElse(null);
    }
}
