package io.fdt.core.shard;

import io.fdt.core.framedlog.FrameReader;
import io.fdt.core.wire.RunCodec;
import io.fdt.core.wire.RunRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads a {@link RunLog} up to the first torn or damaged record; everything after it is ignored. */
final class RunRecords {
    private RunRecords() {}

    /** Passes on the records in their order. Returns false if the log is of another shard, or of an earlier plan. */
    static boolean read(Path file, byte[] shardDigest, Consumer<RunRecord> each) {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer header = ByteBuffer.allocate(RunLog.HEADER_BYTES);
            FrameReader.readFully(channel, header, 0);
            if (!header.flip().equals(RunLog.header(shardDigest))) {
                return false;
            }
            FrameReader frames = new FrameReader(channel, RunLog.HEADER_BYTES, RunCodec.MAX_BYTES);
            for (RunRecord record = next(frames); record != null; record = next(frames)) {
                each.accept(record);
            }
            return true;
        } catch (IOException e) {
            throw JobFiles.unreadable(file, e);
        }
    }

    /** Null also for a record that no run writes, although its checksum is correct. */
    private static @Nullable RunRecord next(FrameReader frames) throws IOException {
        ByteBuffer body = frames.next();
        if (body == null) {
            return null;
        }
        byte[] bytes = new byte[body.remaining()];
        body.get(bytes);
        try {
            return RunCodec.decode(bytes);
        } catch (IOException ofNoRun) {
            return null;
        }
    }
}
