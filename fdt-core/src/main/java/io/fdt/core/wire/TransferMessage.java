package io.fdt.core.wire;

import io.fdt.core.FailureKind;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.SessionActivity.LaneReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages of a transfer. */
public sealed interface TransferMessage extends ControlMessage {

    /** Client to server: what the session is for. */
    record OpenTransfer(CopyRequest request) implements TransferMessage {}

    /** Client to server, before the request: names of its selection that do not fit into it, in order. */
    record SourceNames(List<RawPath> names) implements TransferMessage {}

    /** Sender: what places depend on, before the first entry, and whether {@link RetireLanes} are understood. */
    record SourceShape(boolean singleFile, boolean retiresLanes) implements TransferMessage {}

    /** Sender: entries, numbered from {@code firstId} on. */
    record ManifestPage(int firstId, List<FileEntry> entries) implements TransferMessage {}

    /** Receiver: what it wants of a page's entries; whatever is not named it wants whole. */
    record Verdicts(int firstId, int count, List<Verdict> exceptions) implements TransferMessage {}

    /**
     * @param missing ranges that are wanted, for {@link VerdictKind#PART}
     * @param exitCode and {@code reason} for {@link VerdictKind#FAILED}
     * @param count of the entries from {@code fileId} on that it is about; more than one only for a sender with
     * {@link Capability#VERDICT_RUNS}
     */
    record Verdict(int fileId, VerdictKind kind, List<Range> missing, int exitCode, String reason, int count) {
        /** About one entry. */
        public Verdict(int fileId, VerdictKind kind, List<Range> missing, int exitCode, String reason) {
            this(fileId, kind, missing, exitCode, reason, 1);
        }

        /** The same verdict about one entry more. */
        public Verdict longer() {
            return new Verdict(fileId, kind, missing, exitCode, reason, count + 1);
        }
    }

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
        COMPARE,
        /** In a dry run: it would be wanted, in the place of another file. Only for {@link Capability#SELECTION}. */
        WOULD_REPLACE
    }

    /** Sender: something below the sources could not be read; it has no number if it is in no manifest. */
    record SourceFailed(int fileId, RawPath path, FailureKind kind, String reason) implements TransferMessage {}

    /** Sender: a stream's length is known now. */
    record StreamEnded(int fileId, long sizeBytes) implements TransferMessage {}

    /** Receiver: these chunks are durable. */
    record Acknowledged(int[] fileIds, long[] offsets, int[] lengths) implements TransferMessage {}

    /** Receiver: this chunk did not arrive intact. */
    record SendAgain(int fileId, long offset, int attempt) implements TransferMessage {}

    /** Receiver: these lanes are at work, on a disk perhaps that takes its time: their silence is no stall. */
    record LanesBusy(int[] lanes) implements TransferMessage {}

    /**
     * Receiver: let these lanes go over another wire. They end once acknowledged, and the client dials them again. A
     * sending server, for {@link Capability#LANES_GIVEN_UP}: nobody answers on these lanes, and they have ended here.
     */
    record RetireLanes(int[] lanes) implements TransferMessage {}

    /** A sending server: lanes below the count are to be open, and others end once acknowledged. */
    record LanesWanted(int count, LaneReason reason, String why) implements TransferMessage {}

    /** Receiver: these files have their final names. Their digests follow one another, each of the session's length. */
    record FilesDone(int[] fileIds, byte[] digests) implements TransferMessage {}

    /** Receiver: this file cannot be put in place. */
    record FileFailed(int fileId, int exitCode, String reason) implements TransferMessage {}

    /** Sender, in a mirroring copy: the source has these, and does not offer them. */
    record LeftOut(List<RawPath> paths) implements TransferMessage {}

    /**
     * Receiver, in a mirroring copy: the source does not have these, and so they were deleted, or would be. In any
     * copy: directories that are in place without their mode or times.
     */
    record Deleted(List<Deletion> deletions) implements TransferMessage {}

    /** @param exitCode and {@code reason} why it is still there, or lacks something; 0 and empty when it is gone */
    record Deletion(RawPath path, boolean directory, int exitCode, String reason) {}

    /** Sender: every entry has been sent and every file is settled; its share of the verdict on the bottleneck. */
    record Finish(long bytesSent, long bytesResent, String senderLimit, int senderLimitPercent)
            implements TransferMessage {}

    /** Receiver: everything is durable under its final name, which for a single file may be the target's own. */
    record Finished(
            long files,
            long bytes,
            long bytesResumed,
            long filesSkipped,
            long filesFailed,
            @Nullable String digest,
            String receiverLimit,
            int receiverLimitPercent,
            boolean renamed)
            implements TransferMessage {}
}
