package io.fdt.core.wire;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TransferPlan.Direction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is said on a control channel. Codes are on the wire and never change; a field may be added, what a
 * reader does not know it ignores.
 */
public sealed interface ControlMessage {

    /** Server to client, first: the nonce that the client's proof must cover. */
    record Challenge(String software, byte[] nonce) implements ControlMessage {}

    /** Client to server: which key, and the proof of holding it. */
    record Authenticate(String keyId, byte[] proof, String software) implements ControlMessage {}

    /** Client to server: what the session is for. */
    record OpenTransfer(
            Direction direction,
            SourceSelection selection,
            RawPath target,
            TargetRules rules,
            long sizeBytes,
            long durationNanos,
            int lanes,
            DigestKind digest,
            boolean clearLanes,
            long rateBitsPerSecond,
            boolean dryRun,
            int chunkBytes,
            long timeoutMs)
            implements ControlMessage {

        /** The same for these names, and no others. */
        public OpenTransfer withNames(List<RawPath> names) {
            SourceSelection named = new SourceSelection(selection.sources(), names, selection.rules());
            return new OpenTransfer(
                    direction,
                    named,
                    target,
                    rules,
                    sizeBytes,
                    durationNanos,
                    lanes,
                    digest,
                    clearLanes,
                    rateBitsPerSecond,
                    dryRun,
                    chunkBytes,
                    timeoutMs);
        }
    }

    /** Client to server, before the request: names of its selection that do not fit into it, in order. */
    record SourceNames(List<RawPath> names) implements ControlMessage {}

    /** Server to client: the session exists; its lanes are admitted with this secret. */
    record Opened(byte[] sessionId, byte[] secret, int lanes, boolean clearLanes) implements ControlMessage {}

    /** Either way: the session ends, or does not begin, for this reason. */
    record Failed(int exitCode, String message) implements ControlMessage {}

    /** Sender: what the receiver must know before the first entry to decide where things go. */
    record SourceShape(boolean singleFile) implements ControlMessage {}

    /** Sender: entries, numbered from {@code firstId} on. */
    record ManifestPage(int firstId, List<FileEntry> entries) implements ControlMessage {}

    /** Receiver: what it wants of a page's entries; whatever is not named it wants whole. */
    record Verdicts(int firstId, int count, List<Verdict> exceptions) implements ControlMessage {}

    /**
     * @param missing ranges that are wanted, for {@link VerdictKind#PART}
     * @param exitCode and {@code reason} for {@link VerdictKind#FAILED}
     */
    record Verdict(int fileId, VerdictKind kind, List<Range> missing, int exitCode, String reason) {}

    /** What becomes of an entry. Codes are on the wire. */
    enum VerdictKind {
        /** A directory or link was made, or an empty file: nothing is to be sent. */
        MADE,
        /** It is there already. */
        SKIPPED,
        /** Some of it is there already. */
        PART,
        FAILED,
        /** In a dry run: it would be wanted. */
        WOULD_COPY,
        /** A file of the same size is there: its digests are wanted, to decide. Another verdict follows. */
        COMPARE
    }

    /** Sender: something below the sources could not be read; it has no number if it is in no manifest. */
    record SourceFailed(int fileId, RawPath path, int exitCode, String reason) implements ControlMessage {}

    /** Sender: a stream's length is known now. */
    record StreamEnded(int fileId, long sizeBytes) implements ControlMessage {}

    /** Receiver: these chunks are durable. */
    record Acknowledged(int[] fileIds, long[] offsets) implements ControlMessage {}

    /** Receiver: this chunk did not arrive intact. */
    record SendAgain(int fileId, long offset, int attempt) implements ControlMessage {}

    /** Receiver: these lanes are at work, on a disk perhaps that takes its time: their silence is no stall. */
    record LanesBusy(int[] lanes) implements ControlMessage {}

    /** Receiver: these files have their final names. Their digests follow one another, each of the session's length. */
    record FilesDone(int[] fileIds, byte[] digests) implements ControlMessage {}

    /** Receiver: this file cannot be put in place. */
    record FileFailed(int fileId, int exitCode, String reason) implements ControlMessage {}

    /** Either way, for people: not the end of anything. */
    record Warning(String message) implements ControlMessage {}

    /** Sender: every entry has been sent and every file is settled; its share of the verdict on the bottleneck. */
    record Finish(long bytesSent, long bytesResent, String senderLimit, int senderLimitPercent)
            implements ControlMessage {}

    /** Receiver: everything is durable under its final name. */
    record Finished(
            long files,
            long bytes,
            long bytesResumed,
            long filesSkipped,
            long filesFailed,
            @Nullable String digest,
            String receiverLimit,
            int receiverLimitPercent)
            implements ControlMessage {}

    /** Either way: still there, and this many of the other's messages have come. Counts for neither side. */
    record Heartbeat(long heard) implements ControlMessage {}

    /** Either way: the channel is closed in order, nothing follows. Counts for neither side. */
    record Leaving() implements ControlMessage {}

    /** Client to server, on a new link: goes on with a session, of which it has heard this many messages. */
    record Reattach(byte[] sessionId, byte[] proof, long heard) implements ControlMessage {}

    /** Server to client: the session goes on, here; this many of its messages have come. */
    record Reattached(long heard) implements ControlMessage {}

    /**
     * Client to server: the session tells what stands at a path.
     *
     * @param device contents are read from the device and not from the page cache
     * @param named only what the client names is told, where a copy to this path would have put it; otherwise
     *     everything below the path, in tree order
     * @param single of a copy: it had one entry, and that was no directory
     * @param threads that hash, at most
     */
    record OpenVerify(
            RawPath path, DigestKind digest, boolean device, boolean named, boolean single, int threads, long timeoutMs)
            implements ControlMessage {}

    /** Client: the next entries that it wants to hear of. */
    record VerifyNames(List<VerifyName> names) implements ControlMessage {}

    /** The path of a copied entry, and whether it was a directory. */
    record VerifyName(RawPath path, boolean directory) {}

    /** Server: the next entries, in tree order or in the order of their names. */
    record VerifyPage(List<CheckedEntry> entries) implements ControlMessage {}

    /** Client: so many pages are done with. */
    record VerifyMore(int pages) implements ControlMessage {}

    /** Client: there are no more names. Server: there are no more entries. */
    record VerifyEnd() implements ControlMessage {}
}
