package io.fdt.core.shard;

import io.fdt.core.digest.NodeHash;
import io.fdt.core.framedlog.FrameReader;
import io.fdt.core.plan.TargetRules.Preserve;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a {@link RunLog} up to the first torn or damaged record; everything after it is ignored. */
final class RunRecords {
    private RunRecords() {}

    /**
     * An entry that a run has settled.
     *
     * @param index in the shard
     * @param digest with its checksums; empty if its bytes were not hashed
     */
    record Entry(
            long index,
            RunLog.EntryOutcome outcome,
            long bytes,
            NodeHash hash,
            byte[] digest,
            @Nullable String reason) {}

    /** Receives the records of a log, in their order. */
    interface Visitor {
        default void onEntry(Entry entry) {}

        default void onProgress(long bytesDone, long bytesMoved) {}

        default void onEnd(int exitCode, long bytesMoved) {}

        /** Entries so far are durable. */
        default void onConfirmed(Set<Preserve> preserve) {}
    }

    /** Returns false if the log is of another shard, or of an earlier plan. */
    static boolean read(Path file, byte[] shardDigest, Visitor visitor) {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer header = ByteBuffer.allocate(RunLog.HEADER_BYTES);
            FrameReader.readFully(channel, header, 0);
            if (!header.flip().equals(RunLog.header(shardDigest))) {
                return false;
            }
            FrameReader records = new FrameReader(channel, RunLog.HEADER_BYTES, RunLog.MAX_RECORD_BYTES);
            ByteBuffer record = records.next();
            while (record != null && isVisited(record, visitor)) {
                record = records.next();
            }
            return true;
        } catch (IOException e) {
            throw JobFiles.unreadable(file, e);
        }
    }

    /** Returns false for a record that no run writes, although its checksum is correct. */
    private static boolean isVisited(ByteBuffer record, Visitor visitor) {
        try {
            return tell(record, visitor);
        } catch (BufferUnderflowException shorterThanItSays) {
            return false;
        }
    }

    private static boolean tell(ByteBuffer record, Visitor visitor) {
        switch (record.get()) {
            case RunLog.ENTRY -> {
                return tellEntry(record, visitor);
            }
            case RunLog.PROGRESS -> visitor.onProgress(record.getLong(), record.getLong());
            case RunLog.END -> visitor.onEnd(record.getInt(), record.getLong());
            case RunLog.CONFIRMED -> visitor.onConfirmed(Preserve.ofBits(record.getInt()));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static boolean tellEntry(ByteBuffer record, Visitor visitor) {
        long index = record.getLong();
        RunLog.EntryOutcome outcome = RunLog.EntryOutcome.ofCode(record.get());
        long bytes = record.getLong();
        NodeHash hash = NodeHash.ofCode(record.get());
        byte[] digest = bytes(record, Byte.toUnsignedInt(record.get()));
        byte[] reason = bytes(record, Short.toUnsignedInt(record.getShort()));
        if (outcome == null || hash == null || index < 0) {
            return false;
        }
        String text = reason.length == 0 ? null : new String(reason, StandardCharsets.UTF_8);
        visitor.onEntry(new Entry(index, outcome, bytes, hash, digest, text));
        return true;
    }

    private static byte[] bytes(ByteBuffer record, int length) {
        if (length > record.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        record.get(bytes);
        return bytes;
    }
}
