package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A file of a {@link LossyDisk}, and the part of its state that is not durable. Not thread-safe. */
final class LossyFile {
    private final int pieceBytes;

    /** The contents on the device, for the pieces that differ. */
    private final TreeMap<Long, byte[]> oldPieces = new TreeMap<>();

    private Path at;
    private long durableBytes;
    private @Nullable FileStatus durableStatus;

    /** How much of it this process has read. */
    long readBytes;

    /** @param pieceBytes the unit that the device keeps or loses as a whole */
    LossyFile(Path at, long durableBytes, int pieceBytes) {
        this.at = at;
        this.durableBytes = durableBytes;
        this.pieceBytes = pieceBytes;
    }

    static @Nullable FileStatus statusAt(Path path) {
        FileStatus status = new FileStatus();
        RawPath name = RawPath.ofText(path.toString());
        return FileMetadata.statat(Paths.AT_FDCWD, name, Paths.AT_SYMLINK_NOFOLLOW, status) == 0 ? status : null;
    }

    FileStatus status() {
        FileStatus status = statusAt(at);
        if (status == null) {
            throw new IllegalStateException("no file at " + at);
        }
        return status;
    }

    private int opened(int flags) {
        return Paths.openat(Paths.AT_FDCWD, RawPath.ofText(at.toString()), flags, 0);
    }

    void moveTo(Path to) {
        try {
            Files.move(at, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        at = to;
    }

    private byte[] readPiece(long piece) {
        int fd = opened(Paths.O_RDONLY);
        ByteBuffer bytes = ByteBuffer.allocateDirect(pieceBytes);
        FileData.preadAt(fd, Libc.addressOf(bytes), pieceBytes, piece * pieceBytes);
        Descriptor.closeFd(fd);
        byte[] copy = new byte[pieceBytes];
        bytes.get(0, copy);
        return copy;
    }

    /** Saves the old contents before a write to this range. */
    void keepOld(long offset, long lengthBytes) {
        for (long piece = offset / pieceBytes; piece * pieceBytes < offset + lengthBytes; piece++) {
            if (!oldPieces.containsKey(piece)) {
                oldPieces.put(piece, readPiece(piece));
            }
        }
    }

    /** Saves the old status before a change to it. */
    void keepStatus() {
        if (durableStatus == null) {
            durableStatus = statusAt(at);
        }
    }

    void flush(boolean metadataToo) {
        durableBytes = status().sizeBytes;
        oldPieces.clear();
        if (metadataToo) {
            durableStatus = null;
        }
    }

    /** Restores the old state of a random part of the contents; the rest becomes durable. */
    void loseSomeContent(Random random) {
        FileStatus now = status();
        int fd = opened(Paths.O_RDWR);
        boolean all = random.nextInt(4) == 0;
        ByteBuffer memory = ByteBuffer.allocateDirect(pieceBytes);
        for (Map.Entry<Long, byte[]> old : oldPieces.entrySet()) {
            if (all || random.nextBoolean()) {
                memory.put(0, old.getValue());
                FileData.pwriteAt(fd, Libc.addressOf(memory), pieceBytes, old.getKey() * pieceBytes);
            }
        }
        oldPieces.clear();
        FileData.truncate(fd, now.sizeBytes);
        FileMetadata.setModified(fd, now.modifiedSeconds, now.modifiedNanos);
        Descriptor.closeFd(fd);
    }

    void loseSomeMetadata(Random random) {
        FileStatus now = status();
        FileStatus old = durableStatus;
        int fd = opened(Paths.O_RDWR);
        if (now.sizeBytes != durableBytes && random.nextBoolean()) {
            FileData.truncate(fd, durableBytes);
            FileMetadata.setModified(fd, now.modifiedSeconds, now.modifiedNanos);
        }
        if (old != null && random.nextBoolean()) {
            FileMetadata.setMode(fd, old.mode());
            FileMetadata.setModified(fd, old.modifiedSeconds, old.modifiedNanos);
        }
        Descriptor.closeFd(fd);
    }
}
