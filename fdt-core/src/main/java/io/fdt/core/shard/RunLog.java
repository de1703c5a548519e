package io.fdt.core.shard;

import io.fdt.core.basic.Figures;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.framedlog.Frame;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.wire.RunCodec;
import io.fdt.core.wire.RunRecord;
import io.fdt.core.wire.RunRecord.EntryOutcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The log of one run of a shard, appended during the run: so a killed run leaves its results behind, and of two
 * concurrent runs each has its own. It records what is in place at the target, whose journals record what is being
 * received; so nothing depends on its last records being durable. What the run copied or found counts only once the
 * target has confirmed, at the end of the session, that the names are durable. It begins with a magic number and the
 * SHA-256 of the shard's file; then come {@link Frame}s, each of a {@link RunRecord}.
 *
 * Thread-safe.
 */
public final class RunLog implements AutoCloseable {
    static final long MAGIC = 0x46445452554E4C01L;
    static final int HEADER_BYTES = Long.BYTES + 32;
    private static final int FLUSH_BYTES = 32 << 10;
    private static final SecureRandom NAMES = new SecureRandom();

    private final Path file;
    private final FileChannel channel;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
    private boolean broken;

    private RunLog(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Begins the log of a run of this shard, in the directory of the shard. */
    public static RunLog begin(Path shardFile) {
        return begin(shardFile, Shard.digest(shardFile));
    }

    static RunLog begin(Path shardFile, byte[] shardDigest) {
        while (true) {
            String id = Figures.text("%016x", NAMES.nextLong());
            Path file = JobFiles.newRun(shardFile, id);
            try {
                RunLog log = new RunLog(
                        file, FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
                log.writeHeader(shardDigest);
                return log;
            } catch (FileAlreadyExistsException taken) {
                // The name exists: try another one.
            } catch (IOException e) {
                throw JobFiles.unwritable(file, e);
            }
        }
    }

    /** A run that cannot begin, or is interrupted while it does, leaves no log behind. */
    private void writeHeader(byte[] shardDigest) throws IOException {
        pending.writeBytes(header(shardDigest).array());
        try {
            flush();
        } catch (TransferException unwritable) {
            channel.close();
            Files.deleteIfExists(file);
            throw unwritable;
        }
    }

    /** An entry, by its index in the shard, is settled. Its digest, with checksums, is empty if it was not hashed. */
    public synchronized void settled(
            long index, EntryOutcome outcome, long bytes, NodeHash hash, byte[] digest, @Nullable Failure why) {
        record(new RunRecord.Entry(index, outcome, bytes, hash, digest, why == null ? null : why.text()));
    }

    /** The progress of the run. Writes all buffered records. */
    public synchronized void progress(long bytesDone, long bytesMoved) {
        record(new RunRecord.Progress(bytesDone, bytesMoved));
        flush();
    }

    /** The target has confirmed that all entries so far are durable, with their names and the preserved metadata. */
    public synchronized void confirmed(Set<Preserve> preserve) {
        record(new RunRecord.Confirmed(preserve));
    }

    /** The run has ended, or was asked to; what it still settles is recorded after this. */
    public synchronized void end(int exitCode, long bytesMoved) {
        record(new RunRecord.End(exitCode, bytesMoved));
        flush();
    }

    private void record(RunRecord record) {
        if (broken) {
            return;
        }
        pending.writeBytes(Frame.of(RunCodec.encode(record)));
        if (pending.size() > FLUSH_BYTES) {
            flush();
        }
    }

    private void flush() {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(pending.toByteArray());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            pending.reset();
        } catch (IOException e) {
            // Readers of the log end at the incomplete record.
            broken = true;
            throw JobFiles.unwritable(file, e);
        }
    }

    @Override
    public synchronized void close() {
        try (channel) {
            if (!broken) {
                flush();
            }
        } catch (IOException e) {
            throw JobFiles.unwritable(file, e);
        }
    }

    static ByteBuffer header(byte[] shardDigest) {
        return ByteBuffer.allocate(HEADER_BYTES).putLong(MAGIC).put(shardDigest).flip();
    }
}
