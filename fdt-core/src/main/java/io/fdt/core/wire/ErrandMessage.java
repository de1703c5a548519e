package io.fdt.core.wire;

import io.fdt.core.plan.CopyRequest;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is said for a copy between two servers: a client has the one that is to receive lend it the right to one push,
 * and sends the other on the errand of making it.
 */
public sealed interface ErrandMessage extends ControlMessage {

    /** Client to the receiving server: somebody will come with this request and its sources in my place. */
    record OpenDelegation(CopyRequest request) implements ErrandMessage {}

    /** The receiving server: with this key, once. */
    record Delegated(String keyId, byte[] secret) implements ErrandMessage {}

    /**
     * Client to the sending server: push this there.
     *
     * @param request with sources as they are at this server, all else as the other one was told
     * @param host of the other server, as a name or a literal address without brackets
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

    /** The sending server: lanes are open; how, and to whom. */
    record ErrandStarted(String session, int lanes, String transport, String peer) implements ErrandMessage {}

    /** The sending server, about once a second: where the copy stands. The time is not sent. */
    record ErrandProgress(Progress progress) implements ErrandMessage {}

    /** The sending server: what became of the next files. */
    record ErrandFiles(List<ToldFile> files) implements ErrandMessage {}

    /**
     * A file that is in place, was skipped, or failed. Texts are escaped; exit code and reason are of failures only.
     */
    record ToldFile(
            String path,
            FileEnd end,
            long sizeBytes,
            int exitCode,
            @Nullable String reason) {}

    /** How a file ended. Codes are the ordinals. */
    enum FileEnd {
        COPIED,
        RESUMED,
        SKIPPED,
        FAILED,
        WOULD_COPY,
        /** Only for {@link Capability#SELECTION}. */
        WOULD_REPLACE
    }

    /** Client: so many messages with files are done with. */
    record ErrandFilesHeard(int pages) implements ErrandMessage {}

    /** The sending server, last: how the copy ended. Not sent: time, failed files, and what a dry run found. */
    record ErrandEnded(Summary summary) implements ErrandMessage {}
}
