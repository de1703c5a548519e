package io.fdt.core.wire;

import io.fdt.core.failure.Failure;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.SessionActivity.LaneReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

public sealed interface TransferMessage extends ControlMessage {

    /** Client to server: what the session is to copy. */
    record OpenTransfer(TransferPlan request) implements TransferMessage {
        public OpenTransfer {
            request.requireFitting();
        }
    }

    /** Client to server, before the request: names of its selection that do not fit into it, in order. */
    record SourceNames(List<RawPath> names) implements TransferMessage {
        /** The heap of a name besides its bytes: two objects, and its places in lists. */
        private static final long NAME_BYTES = 80;

        public SourceNames {
            names.forEach(RawPath::requireShort);
        }

        public long heapBytes() {
            return names.stream()
                    .mapToLong(name -> NAME_BYTES + name.lengthBytes())
                    .sum();
        }
    }

    /** Sender, before the first entry: what the names on the target depend on. */
    record SourceShape(boolean singleFile) implements TransferMessage {}

    /** Sender: entries, numbered from {@code firstId} on. */
    record ManifestPage(int firstId, List<FileEntry> entries) implements TransferMessage {}

    /** Receiver: what it needs of a page's entries. Entries that are not listed are needed completely. */
    record Verdicts(int firstId, int count, List<Verdict> exceptions) implements TransferMessage {}

    /**
     * @param missing the ranges that are needed, for {@link VerdictKind#PART}
     * @param why for {@link VerdictKind#FAILED}, otherwise null
     * @param count of the entries from {@code fileId} on that it applies to
     */
    record Verdict(
            int fileId,
            VerdictKind kind,
            List<Range> missing,
            @Nullable Failure why,
            int count) {
        /** A verdict about one entry. */
        public Verdict(int fileId, VerdictKind kind, List<Range> missing, @Nullable Failure why) {
            this(fileId, kind, missing, why, 1);
        }

        /** Returns this verdict for one more entry. */
        public Verdict longer() {
            return new Verdict(fileId, kind, missing, why, count + 1);
        }
    }

    /** What happens to an entry. Codes are on the wire. */
    enum VerdictKind {
        /** A directory, a link or an empty file was created: nothing is to be sent. */
        MADE,
        /** It already exists. */
        SKIPPED,
        /** A part of it already exists. */
        PART,
        FAILED,
        /** In a dry run: it would be copied. */
        WOULD_COPY,
        /** A file of the same size exists: its digests are needed to decide. Another verdict follows. */
        COMPARE,
        /** In a dry run: it would replace another file. */
        WOULD_REPLACE
    }

    /** Sender: a source could not be read. It has no number if it is in no manifest. */
    record SourceFailed(int fileId, RawPath path, Failure why) implements TransferMessage {}

    /** Sender: the length of a stream is now known. */
    record StreamEnded(int fileId, long sizeBytes) implements TransferMessage {}

    /** Receiver: these chunks are durable. */
    record Acknowledged(int[] fileIds, long[] offsets, int[] lengths) implements TransferMessage {}

    /** Receiver: this chunk did not arrive intact. */
    record SendAgain(int fileId, long offset, int attempt) implements TransferMessage {}

    /** Receiver: these lanes are busy, perhaps with a slow disk: their silence is not a stall. */
    record LanesBusy(int[] lanes) implements TransferMessage {}

    /**
     * Receiver: replace these lanes, to use another link. They end once everything is acknowledged, and the client
     * dials them again. From a sending server: these lanes got no answer and have ended here.
     */
    record RetireLanes(int[] lanes) implements TransferMessage {}

    /** A sending server: keep this many lanes open; further ones end once everything is acknowledged. */
    record LanesWanted(int count, LaneReason reason, String why) implements TransferMessage {}

    /** Receiver: these files have their final names. Their digests follow one another, each of the session's length. */
    record FilesDone(int[] fileIds, byte[] digests) implements TransferMessage {}

    /** Receiver: this file cannot be put in place. */
    record FileFailed(int fileId, Failure why) implements TransferMessage {}

    /** Sender, when mirroring: the source has these, but they are not part of the copy. */
    record LeftOut(List<RawPath> paths) implements TransferMessage {}

    /**
     * Receiver, when mirroring: these were deleted, or would be, because the source does not have them. In any copy:
     * directories that are in place without their mode or times.
     */
    record Deleted(List<Deletion> deletions) implements TransferMessage {}

    /** @param why it still exists, or lacks metadata; null if it was deleted */
    record Deletion(
            RawPath path, boolean directory, @Nullable Failure why) {}

    /** Sender: every entry has been sent and every file is settled; with the sender's part of the bottleneck. */
    record Finish(long bytesSent, long bytesResent, String senderLimit, int senderLimitPercent)
            implements TransferMessage {}

    /** Receiver: everything is durable under its final name. A single file may have been given the target's name. */
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
