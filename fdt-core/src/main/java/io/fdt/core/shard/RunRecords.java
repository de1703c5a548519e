package io.fdt.core.shard;

import io.fdt.core.digest.DigestKind;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads a {@link RunLog} up to its end, or to the first record that is torn or damaged: after that nothing is believed. */
final class RunRecords {
    private RunRecords() {}

    /** Is told what a log says, in its order. */
    interface Visitor {
        default void onEntry(
                long index,
                RunLog.Outcome outcome,
                long bytes,
                DigestKind kind,
                byte[] digest,
                @Nullable String reason) {}

        default void onProgress(long bytesDone, long bytesMoved) {}

        default void onEnd(int exitCode, long bytesMoved) {}
    }

    /** False when the log is of another shard, or of an earlier plan. */
    static boolean read(Path file, byte[] shardDigest, Visitor visitor) {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
            byte[] header = in.readNBytes(RunLog.HEADER_BYTES);
            if (header.length < RunLog.HEADER_BYTES || !RunLog.isHeaderOf(header, shardDigest)) {
                return false;
            }
            boolean told = true;
            for (ByteBuffer record = next(in); told && record != null; record = next(in)) {
                told = isTold(record, visitor);
            }
            return true;
        } catch (IOException e) {
            throw JobFiles.unreadable(file, e);
        }
    }

    private static @Nullable ByteBuffer next(DataInputStream in) throws IOException {
        try {
            int length = in.readUnsignedShort();
            if (length == 0 || length > RunLog.MAX_RECORD_BYTES) {
                return null;
            }
            byte[] record = new byte[length];
            in.readFully(record);
            CRC32C crc = new CRC32C();
            crc.update(record);
            return in.readInt() == (int) crc.getValue() ? ByteBuffer.wrap(record) : null;
        } catch (EOFException end) {
            return null;
        }
    }

    /** False for what no run writes, though its checksum is right. */
    private static boolean isTold(ByteBuffer record, Visitor visitor) {
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
            default -> {
                return false;
            }
        }
        return true;
    }

    private static boolean tellEntry(ByteBuffer record, Visitor visitor) {
        long index = record.getLong();
        RunLog.Outcome outcome = RunLog.Outcome.ofCode(record.get());
        long bytes = record.getLong();
        DigestKind kind = DigestKind.ofCode(record.get());
        byte[] digest = bytes(record, Byte.toUnsignedInt(record.get()));
        byte[] reason = bytes(record, Short.toUnsignedInt(record.getShort()));
        if (outcome == null || kind == null || index < 0) {
            return false;
        }
        String text = reason.length == 0 ? null : new String(reason, StandardCharsets.UTF_8);
        visitor.onEntry(index, outcome, bytes, kind, digest, text);
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
