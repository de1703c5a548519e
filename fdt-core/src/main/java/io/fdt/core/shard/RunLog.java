package io.fdt.core.shard;

import io.fdt.core.basic.Figures;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.framedlog.Frame;
import io.fdt.core.plan.TargetRules.Preserve;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
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
 * target has confirmed, at the end of the session, that the names are durable. Big-endian:
 *
 * <pre>
 * header: magic 8, SHA-256 of the shard's file 32
 * then {@link Frame}s, whose bodies are a type 1 and:
 *   entry 1:    index 8, outcome 1, bytes 8, hash 1, digest (1 + n), reason (2 + n, UTF-8)
 * progress 2: bytes in place or durable 8, bytes moved 8
 *   end 3:      exit code 4, bytes moved 8; of several the last one counts, and records may follow
 * confirmed 4: a bit for each {@link Preserve} that the run kept 4; entries before it count
 * </pre>
 *
 * Thread-safe.
 */
public final class RunLog implements AutoCloseable {
    static final long MAGIC = 0x46445452554E4C01L;
    static final int HEADER_BYTES = Long.BYTES + 32;
    static final int MAX_RECORD_BYTES = 1 << 10;
    static final byte ENTRY = 1;
    static final byte PROGRESS = 2;
    static final byte END = 3;
    static final byte CONFIRMED = 4;

    private static final int MAX_REASON_BYTES = 512;
    private static final int FLUSH_BYTES = 32 << 10;
    private static final SecureRandom NAMES = new SecureRandom();

    /** The result of an entry. Codes are in files and never change. */
    public enum EntryOutcome {
        /** It was copied, and both sides have its digest. */
        IN_PLACE(0),
        /** It already existed and was the same by the comparison that the run used; a digest is that of its source. */
        FOUND(1),
        /** It is not in place. */
        FAILED(2);

        private final int code;

        EntryOutcome(int code) {
            this.code = code;
        }

        static @Nullable EntryOutcome ofCode(int code) {
            for (EntryOutcome outcome : values()) {
                if (outcome.code == code) {
                    return outcome;
                }
            }
            return null;
        }
    }

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
        byte[] text = why == null ? new byte[0] : why.text().getBytes(StandardCharsets.UTF_8);
        record(ENTRY, out -> {
            out.writeLong(index);
            out.writeByte(outcome.code);
            out.writeLong(bytes);
            out.writeByte(hash.code());
            out.writeByte(digest.length);
            out.write(digest);
            int length = Math.min(text.length, MAX_REASON_BYTES);
            out.writeShort(length);
            out.write(text, 0, length);
        });
    }

    /** The progress of the run. Writes all buffered records. */
    public synchronized void progress(long bytesDone, long bytesMoved) {
        record(PROGRESS, out -> {
            out.writeLong(bytesDone);
            out.writeLong(bytesMoved);
        });
        flush();
    }

    /** The target has confirmed that all entries so far are durable, with their names and the preserved metadata. */
    public synchronized void confirmed(Set<Preserve> preserve) {
        record(CONFIRMED, out -> out.writeInt(Preserve.bits(preserve)));
    }

    /** The run has ended, or was asked to; what it still settles is recorded after this. */
    public synchronized void end(int exitCode, long bytesMoved) {
        record(END, out -> {
            out.writeInt(exitCode);
            out.writeLong(bytesMoved);
        });
        flush();
    }

    private interface Body {
        void writeTo(DataOutputStream out) throws IOException;
    }

    private void record(byte type, Body body) {
        if (broken) {
            return;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeByte(type);
            body.writeTo(out);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        pending.writeBytes(Frame.of(bytes.toByteArray()));
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
