package io.fdt.core.receipt;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.fdt.core.FailureKind;
import io.fdt.core.NewFile;
import io.fdt.core.TransferException;
import io.fdt.core.Word;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Summary;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A written receipt: one JSON document with an object a file and what it amounts to at its end. It is written as
 * the work goes on, as a {@link NewFile}, and gets its name when it is whole. Names that are no UTF-8 stand as lone
 * surrogate escapes U+DC80 to U+DCFF, one a byte. One thread, in a session that of the session.
 */
public final class Receipt implements AutoCloseable {
    private static final int VERSION = 1;

    private final Path file;
    private final NewFile written;
    private final JsonGenerator json;
    private final DigestKind digest;

    /** The end of a receipt that is not that of a session. */
    public interface Tail {
        void writeTo(JsonGenerator json) throws IOException;
    }

    /** @throws TransferException TARGET, when the receipt cannot be written there */
    public Receipt(RawPath path, DigestKind digest, String session) {
        this(pathOf(path), digest, session);
    }

    /** Others may be writing the same receipt: the last one to finish stays. TARGET, when it cannot be written. */
    public Receipt(Path path, DigestKind digest, String session) {
        this.digest = digest;
        this.file = path.toAbsolutePath();
        try {
            this.written = NewFile.named(file);
            this.json = JsonFactory.builder()
                    .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                    .build()
                    .createGenerator(written.stream());
            json.writeStartObject();
            json.writeStringField("type", "fdt-receipt");
            json.writeNumberField("version", VERSION);
            json.writeStringField("session", session);
            json.writeArrayFieldStart("files");
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

    private static TransferException unwritable(RawPath path, Exception cause) {
        return FailureKind.TARGET.failure(
                "cannot write the receipt " + path.display() + ": " + TransferException.reason(cause), cause);
    }

    /** Adds an entry with its file's digest, empty where nobody hashed it, and an outcome such as {@code copied}. */
    public void add(FileEntry entry, long sizeBytes, byte[] contentDigest, String outcome, @Nullable String reason) {
        try {
            json.writeStartObject();
            json.writeStringField("path", entry.path().text());
            json.writeStringField("kind", Word.of(entry.kind()));
            json.writeStringField("outcome", outcome);
            json.writeNumberField("size", sizeBytes);
            FileRange range = entry.range();
            if (range != null && !range.isAll()) {
                json.writeNumberField("range_offset", range.offset());
                json.writeNumberField("file_size", range.fileBytes());
            }
            json.writeNumberField("mode", entry.mode());
            json.writeNumberField("mtime_seconds", entry.modifiedSeconds());
            json.writeNumberField("mtime_nanos", entry.modifiedNanos());
            RawPath linkTarget = entry.linkTarget();
            if (linkTarget != null && entry.kind() == FileEntry.Kind.LINK) {
                json.writeStringField("link", linkTarget.text());
            }
            if (contentDigest.length > 0) {
                json.writeStringField("digest", TreeDigest.print(digest, contentDigest));
            }
            if (reason != null) {
                json.writeStringField("reason", reason);
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw unwritable(RawPath.ofText(file.toString()), e);
        }
    }

    /** Ends the document and gives it its name; durable says that what is listed as copied survives a power cut. */
    public void finish(Summary summary, RawPath target, boolean durable) {
        finish(json -> {
            json.writeStringField("target", target.text());
            json.writeStringField("outcome", summary.failure() == null ? "ok" : "failed");
            json.writeNumberField("exit_code", summary.exitCode());
            json.writeBooleanField("durable", durable);
            json.writeNumberField("files_in_place", summary.files());
            json.writeNumberField("bytes", summary.bytes());
            json.writeNumberField("bytes_sent", summary.bytesSent());
            json.writeNumberField("bytes_resumed", summary.bytesResumed());
            json.writeNumberField("bytes_resent", summary.bytesResent());
            json.writeNumberField("files_skipped", summary.filesSkipped());
            json.writeNumberField("files_failed", summary.filesFailed());
            json.writeNumberField("seconds", summary.elapsedNanos() / 1e9);
            json.writeStringField("digest", summary.digest());
        });
    }

    /** Ends the document and gives it its name, durably. */
    public void finish(Tail tail) {
        try {
            json.writeEndArray();
            tail.writeTo(json);
            json.writeEndObject();
            json.flush();
            written.publish();
        } catch (IOException e) {
            throw unwritable(RawPath.ofText(file.toString()), e);
        }
    }

    /** Leaves nothing behind that is not complete. */
    @Override
    public void close() {
        try (written) {
            json.close();
        } catch (IOException e) {
            throw unwritable(RawPath.ofText(file.toString()), e);
        }
    }
}
