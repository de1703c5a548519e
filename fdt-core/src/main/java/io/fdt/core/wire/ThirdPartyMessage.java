package io.fdt.core.wire;

import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.JobReport;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a copy between two servers: the client has the receiving server issue a one-time key for one push,
 * and has the sending server run that push.
 */
public sealed interface ThirdPartyMessage extends ControlMessage {

    /** In place of a time for retries: the copy ends with its client. */
    long ATTACHED = -1;

    /**
     * Client to the receiving server: another server will push with this request and its sources on my behalf.
     *
     * @param retryMs for how long a push that outlives its client may be opened again, or {@link #ATTACHED}
     */
    record OpenDelegation(TransferPlan request, long retryMs) implements ThirdPartyMessage {
        public OpenDelegation {
            request.requireFitting();
        }
    }

    /** The receiving server: the one-time key for it. */
    record Delegated(String keyId, byte[] secret, byte[] identity) implements ThirdPartyMessage {}

    /**
     * Client to the sending server: push to the other server.
     *
     * @param request with sources as they are at this server; everything else as the other server received it
     * @param retryMs for how long a copy that outlives its client is retried, or {@link #ATTACHED}
     * @param receipt the hashes of the receipt that need the bytes of files in order; null for no receipt
     */
    record OpenThirdParty(
            TransferPlan request,
            Target target,
            long maxEntries,
            long maxBytes,
            long retryMs,
            @Nullable List<FileHash> receipt)
            implements ThirdPartyMessage {
        public OpenThirdParty {
            request.requireFitting();
        }

        OpenThirdParty withRequest(TransferPlan other) {
            return new OpenThirdParty(other, target, maxEntries, maxBytes, retryMs, receipt);
        }
    }

    /**
     * The other server, and the key that it lends.
     *
     * @param host a name or a literal address without brackets
     * @param fingerprint that it must have
     */
    record Target(String host, int port, byte[] fingerprint, String keyId, byte[] secret) {
        /** For display. */
        public String name() {
            return host + ":" + port;
        }
    }

    /** The sending server: lanes are open, with their number, their transport and the peer. */
    record ThirdPartyStarted(String session, int lanes, String transport, String peer) implements ThirdPartyMessage {}

    /** The sending server, about once a second: the progress of the copy. The time is not sent. */
    record ThirdPartyProgress(Progress progress) implements ThirdPartyMessage {}

    /** The sending server: the results of the next files. */
    record ThirdPartyFiles(List<FileReport> files) implements ThirdPartyMessage {}

    /**
     * A file that is in place, was skipped, or failed. Texts are escaped; only failures have an exit code and a reason,
     * and only others have checksums.
     */
    record FileReport(
            String path,
            FileEnd end,
            long sizeBytes,
            Map<FileHash, String> checksums,
            @Nullable Failure why) {}

    /** The result of a file. Codes are the ordinals. */
    enum FileEnd {
        COPIED,
        RESUMED,
        SKIPPED,
        FAILED,
        WOULD_COPY,
        WOULD_REPLACE,
        DELETED,
        WOULD_DELETE
    }

    /**
     * The sending server: the next part of the receipt, after all files and before the end. The client confirms it like
     * a message with files.
     *
     * @param leftBytes how much of it follows
     */
    record ThirdPartyReceipt(byte[] part, long leftBytes) implements ThirdPartyMessage {}

    /** Client: this many messages with files, or parts of the receipt, have been processed. */
    record ThirdPartyFilesHeard(int pages) implements ThirdPartyMessage {}

    /**
     * The sending server, last: the result of the copy. Time, failed files and the result of a dry run are not sent.
     */
    record ThirdPartyEnded(Summary summary) implements ThirdPartyMessage {}

    /**
     * Client to a sending server: look at the copies of my key that outlive their clients.
     *
     * @param job of the action; empty for a list
     * @param receipt whether the client wants the receipt of the job that it waits for
     */
    record OpenJobs(long timeoutMs, JobsPlan.Action action, String job, boolean receipt) implements ThirdPartyMessage {}

    /** The sending server: such copies; the last page of a list, or after a cancelled copy has ended, is marked. */
    record JobPage(List<JobReport> jobs, boolean last) implements ThirdPartyMessage {}
}
