package io.fdt.core.receipt;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.fdt.core.basic.NewFile;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.EntryCodec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a receipt: one JSON document with an object for each file and the totals at its end. It is written during the
 * copy, as a {@link NewFile}, and gets its name when it is complete. Bytes of names that are not UTF-8 are written as
 * lone surrogate escapes, U+DC80 to U+DCFF. For one thread; in a session, the session's thread.
 */
public final class Receipt implements AutoCloseable {
    private static final int VERSION = 1;

    private final RawPath shown;
    private final Place place;
    private final JsonGenerator json;
    private final NodeHash hash;

    /** What a receipt is written to. */
    private interface Place {
        OutputStream stream() throws IOException;

        void publish() throws IOException;

        /** Gives up what was not published. */
        void close() throws IOException;
    }

    private record Named(NewFile file) implements Place {
        @Override
        public OutputStream stream() {
            return file.stream();
        }

        @Override
        public void publish() throws IOException {
            file.publish();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private record Kept(KeptReceipt receipt) implements Place {
        @Override
        public OutputStream stream() throws IOException {
            return receipt.begin();
        }

        @Override
        public void publish() {
            receipt.complete();
        }

        @Override
        public void close() {
            // Its owner closes it.
        }
    }

    /** Writes the end of a receipt that is not for a session. */
    public interface Tail {
        void writeTo(JsonGenerator json) throws IOException;
    }

    /** @throws TransferException TARGET, if the receipt cannot be written there */
    public Receipt(RawPath path, NodeHash hash, String session) {
        this(pathOf(path), hash, session);
    }

    /**
     * Opens a receipt that other processes may also be writing: the last one to finish replaces the others.
     *
     * @throws TransferException TARGET, if the receipt cannot be written there
     */
    public Receipt(Path path, NodeHash hash, String session) {
        this(RawPath.ofText(path.toAbsolutePath().toString()), named(path.toAbsolutePath()), hash, session);
    }

    /** Opens a receipt that this server writes for a client, in the place of an earlier one. */
    public Receipt(KeptReceipt kept, NodeHash hash, String session) {
        this(RawPath.ofText("on the source's server"), new Kept(kept), hash, session);
    }

    private Receipt(RawPath shown, Place place, NodeHash hash, String session) {
        this.hash = hash;
        this.shown = shown;
        this.place = place;
        try {
            this.json = JsonFactory.builder()
                    .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .build()
                    .createGenerator(place.stream());
            json.writeStartObject();
            json.writeStringField("type", "fdt-receipt");
            json.writeNumberField("version", VERSION);
            json.writeStringField("session", session);
            json.writeArrayFieldStart("files");
        } catch (IOException e) {
            throw unwritable(shown, e);
        }
    }

    private static Place named(Path file) {
        try {
            return new Named(NewFile.named(file));
        } catch (IOException e) {
            throw unwritable(RawPath.ofText(file.toString()), e);
        }
    }

    private static Path pathOf(RawPath path) {
        try {
            return Path.of(path.text());
        } catch (InvalidPathException e) {
            throw unwritable(path, e);
        }
    }

    static TransferException unwritable(RawPath path, Exception cause) {
        return Cause.NO_RECORD.failure(
                "cannot write the receipt " + path.display() + ": " + TransferException.reason(cause), cause);
    }

    /**
     * Adds an entry with the hash of its content, empty if it was not hashed, and an outcome such as {@code copied}.
     * The hash may lack its checksums.
     */
    public void add(FileEntry entry, long sizeBytes, byte[] value, String outcome, @Nullable Failure why) {
        add(entry, sizeBytes, value, Map.of(), outcome, why);
    }

    /** @param others more hashes of the content, in hexadecimal digits */
    public void add(
            FileEntry entry,
            long sizeBytes,
            byte[] value,
            Map<FileHash, String> others,
            String outcome,
            @Nullable Failure why) {
        try {
            json.writeStartObject();
            EntryCodec.writeMembers(json, shown(entry, sizeBytes));
            json.writeStringField("outcome", outcome);
            byte[] digest = hash.digestOf(value);
            if (digest.length > 0) {
                json.writeStringField("digest", TreeDigest.print(hash.digest(), digest));
            }
            Map<FileHash, String> checksums = new LinkedHashMap<>(hash.checksumsOf(value));
            checksums.putAll(others);
            if (!checksums.isEmpty()) {
                json.writeObjectFieldStart("checksums");
                for (Map.Entry<FileHash, String> each : checksums.entrySet()) {
                    json.writeStringField(each.getKey().label(), each.getValue());
                }
                json.writeEndObject();
            }
            if (why != null) {
                writeFailure(why);
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw unwritable(shown, e);
        }
    }

    private void writeFailure(Failure why) throws IOException {
        json.writeStringField("cause", why.cause().word());
        json.writeStringField("place", why.shownPlace());
        json.writeStringField("errno", why.errno());
        json.writeNumberField("exit_code", why.exitCode());
        json.writeStringField("reason", why.text());
    }

    /**
     * Shows a file without its other names and without the ranges that it was assembled from, and a directory that is
     * only above names without its mode and time, which are not the source's if it was there before.
     */
    private static FileEntry shown(FileEntry entry, long sizeBytes) {
        FileRange range = entry.range();
        boolean part = range != null && !range.isAll();
        return new FileEntry(
                entry.path(),
                entry.kind(),
                part ? entry.sizeBytes() : sizeBytes,
                entry.isOnlyAbove() ? EntryMetadata.UNKNOWN : entry.metadata(),
                entry.sparse(),
                entry.kind() == FileEntry.Kind.LINK ? entry.linkTarget() : null,
                part ? range : null);
    }

    /** Ends the document and gives it its name. {@code durable}: the files listed as copied survive a power failure. */
    public void finish(Summary summary, RawPath target, boolean durable) {
        finish(json -> {
            json.writeStringField("target", target.text());
            json.writeStringField("outcome", summary.failure() == null ? "ok" : "failed");
            json.writeNumberField("exit_code", summary.exitCode());
            json.writeStringField(
                    "cause",
                    summary.failure() == null ? null : summary.failure().cause().word());
            json.writeBooleanField("durable", durable);
            json.writeNumberField("files_in_place", summary.files().inPlace());
            json.writeNumberField("bytes", summary.bytes().inPlace());
            for (Map.Entry<String, Long> each :
                    summary.bytes().moved().figures().entrySet()) {
                json.writeNumberField("bytes_" + each.getKey(), each.getValue());
            }
            json.writeNumberField("bytes_resumed", summary.bytes().resumed());
            json.writeNumberField("bytes_resent", summary.bytes().resent());
            json.writeNumberField("files_skipped", summary.files().skipped());
            json.writeNumberField("files_failed", summary.files().failed());
            json.writeNumberField("seconds", summary.run().elapsedNanos() / 1e9);
            json.writeStringField("digest", summary.digest());
            json.writeArrayFieldStart("failed");
            for (Summary.FailedFile failed : summary.files().firstFailed()) {
                json.writeStartObject();
                json.writeStringField("path", failed.path());
                writeFailure(failed.failure());
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    /** Ends the document and gives it its name, durably. */
    public void finish(Tail tail) {
        try {
            json.writeEndArray();
            tail.writeTo(json);
            json.writeEndObject();
            json.flush();
            place.publish();
        } catch (IOException e) {
            throw unwritable(shown, e);
        }
    }

    /** Removes the receipt if it is not complete. */
    @Override
    public void close() {
        try {
            try {
                json.close();
            } finally {
                place.close();
            }
        } catch (IOException e) {
            throw unwritable(shown, e);
        }
    }
}
