package io.fdt.core.shard;

import io.fdt.core.digest.Sha256;
import io.fdt.core.plan.RawPath;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A shard that is being read: its sources, and its entries, parents before children. Keeps no list of the entries. For
 * one thread.
 */
public final class Shard implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path file;
    private final DataInputStream in;
    private final ShardHeader header;
    private final EntryReader entries;

    private Shard(Path file, DataInputStream in) throws IOException {
        this.file = file;
        this.in = in;
        this.header = ShardHeader.readFrom(in);
        this.entries = new EntryReader(in);
    }

    /** @throws io.fdt.core.failure.TransferException USAGE, if the file is not a shard */
    public static Shard open(Path file) {
        try {
            InputStream opened = Files.newInputStream(file);
            try {
                return new Shard(file, new DataInputStream(new BufferedInputStream(opened, BUFFER_BYTES)));
            } catch (IOException e) {
                opened.close();
                throw e;
            }
        } catch (EOFException e) {
            throw JobFiles.damaged(file, "it is truncated");
        } catch (IOException e) {
            throw JobFiles.unreadable(file, e);
        }
    }

    /** The SHA-256 of a shard's file, which identifies it in the logs of its runs. */
    static byte[] digest(Path file) {
        MessageDigest sha = Sha256.begin();
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream in = Files.newInputStream(file)) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                sha.update(buffer, 0, count);
            }
        } catch (IOException e) {
            throw JobFiles.unreadable(file, e);
        }
        return sha.digest();
    }

    static String digestText(Path file) {
        return HexFormat.of().formatHex(digest(file));
    }

    /** The name for display: the job's directory and the shard's number, as in {@code --shard JOB/7}. */
    public static String shownName(Path file) {
        String number = JobFiles.nameOf(file).replaceFirst("^0+(?=[0-9])", "");
        Path job = JobFiles.directoryOf(file).getFileName();
        return JobFiles.shown(job == null ? Path.of("") : job) + "/" + number;
    }

    /** Whether the job is one entry and not a directory. */
    public boolean isSingle() {
        return header.single();
    }

    /**
     * Whether it is the final shard, which gives directories their modes; all others leave them accessible to each
     * other.
     */
    public boolean givesModes() {
        return String.valueOf(file.getFileName()).equals(JobFiles.DIRECTORIES);
    }

    /** Absolute paths. */
    public List<RawPath> sources() {
        return header.sources();
    }

    ShardHeader header() {
        return header;
    }

    /** Returns the next entry; null at the end. */
    public @Nullable PlannedEntry next() {
        try {
            return entries.next();
        } catch (EOFException e) {
            throw JobFiles.damaged(file, "it is truncated");
        } catch (IOException e) {
            throw JobFiles.damaged(file, String.valueOf(e.getMessage()));
        }
    }

    static void forEach(Path file, ObjLongConsumer<PlannedEntry> visitor) {
        try (Shard shard = open(file)) {
            shard.forEach(visitor);
        }
    }

    /** Visits all remaining entries. */
    void forEach(ObjLongConsumer<PlannedEntry> visitor) {
        long index = 0;
        for (PlannedEntry each = next(); each != null; each = next()) {
            visitor.accept(each, index++);
        }
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException e) {
            throw JobFiles.unreadable(file, e);
        }
    }
}
