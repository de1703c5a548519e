package io.fdt.core.wire;

import io.fdt.core.digest.FileHash;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a copy between two servers: the client has the receiving server issue a one-time key for one push,
 * and has the sending server run that push.
 */
public sealed interface ErrandMessage extends ControlMessage {

    /** Client to the receiving server: another server will push with this request and its sources on my behalf. */
    record OpenDelegation(CopyRequest request) implements ErrandMessage {}

    /** The receiving server: the one-time key for it. */
    record Delegated(String keyId, byte[] secret) implements ErrandMessage {}

    /**
     * Client to the sending server: push to the other server.
     *
     * @param request with sources as they are at this server; everything else as the other server received it
     * @param host of the other server, a name or a literal address without brackets
     * @param fingerprint that the other server must have
     */
    record OpenErrand(
            CopyRequest request,
            String host,
            int port,
            byte[] fingerprint,
            String keyId,
            byte[] secret,
            long maxEntries,
            long maxBytes)
            implements ErrandMessage {

        OpenErrand withRequest(CopyRequest other) {
            return new OpenErrand(other, host, port, fingerprint, keyId, secret, maxEntries, maxBytes);
        }
    }

    /** The sending server: lanes are open, with their number, their transport and the peer. */
    record ErrandStarted(String session, int lanes, String transport, String peer) implements ErrandMessage {}

    /** The sending server, about once a second: the progress of the copy. The time is not sent. */
    record ErrandProgress(Progress progress) implements ErrandMessage {}

    /** The sending server: the results of the next files. */
    record ErrandFiles(List<FileReport> files) implements ErrandMessage {}

    /**
     * A file that is in place, was skipped, or failed. Texts are escaped; only failures have an exit code and a reason,
     * and only others have checksums.
     */
    record FileReport(
            String path,
            FileEnd end,
            long sizeBytes,
            Map<FileHash, String> checksums,
            int exitCode,
            @Nullable String reason) {}

    /** The result of a file. Codes are the ordinals. */
    enum FileEnd {
        COPIED,
        RESUMED,
        SKIPPED,
        FAILED,
        WOULD_COPY,
        WOULD_REPLACE
    }

    /** Client: this many messages with files have been processed. */
    record ErrandFilesHeard(int pages) implements ErrandMessage {}

    /**
     * The sending server, last: the result of the copy. Time, failed files and the result of a dry run are not sent.
     */
    record ErrandEnded(Summary summary) implements ErrandMessage {}
}
