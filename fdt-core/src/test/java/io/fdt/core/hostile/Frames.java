package io.fdt.core.hostile;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.wire.ChunkHeader;
import io.fdt.core.wire.ChunkTrailer;
import java.nio.ByteBuffer;

/** The messages and frames of a sender, made by hand. */
final class Frames {
    private Frames() {}

    static FileEntry file(byte[] path, int sizeBytes, int mode) {
        return Entries.file(RawPath.ofBytes(path), sizeBytes, Entries.metadata(mode, 1_700_000_000L, 0));
    }

    static FileEntry file(String path, int sizeBytes) {
        return file(RawPath.ofText(path).toBytes(), sizeBytes, 0644);
    }

    static FileEntry directory(String path) {
        return directory(path, 0755);
    }

    static FileEntry directory(String path, int mode) {
        return Entries.directory(path, Entries.metadata(mode, 1_700_000_000L, 0));
    }

    static FileEntry link(String path, String target) {
        return Entries.link(RawPath.ofText(path), RawPath.ofText(target), Entries.metadata(0777, 1_700_000_000L, 0));
    }

    /** Returns a chunk of one leaf with these bytes and its valid digest. */
    static byte[] chunk(byte[] sessionId, int fileId, long offset, byte[] content) {
        ByteBuffer frame = ByteBuffer.allocateDirect(ChunkHeader.LENGTH_BYTES + content.length + 64);
        ChunkHeader header = new ChunkHeader();
        header.set(ByteBuffer.wrap(sessionId).getLong(), fileId, 0, offset, content.length, 1);
        header.write(frame);
        frame.put(content);
        TreeDigest digest = new TreeDigest(DigestKind.XXH3_128);
        digest.addLeaf(frame, Libc.addressOf(frame), ChunkHeader.LENGTH_BYTES, content.length);
        ChunkTrailer trailer = new ChunkTrailer(DigestKind.XXH3_128);
        digest.finish(trailer.digest());
        trailer.write(frame);
        byte[] bytes = new byte[frame.flip().remaining()];
        frame.get(bytes);
        return bytes;
    }

    /** Returns a chunk that consists of holes only, with its valid digest. */
    static byte[] holes(byte[] sessionId, int fileId, long offset, int lengthBytes) {
        ByteBuffer frame = ByteBuffer.allocateDirect(ChunkHeader.LENGTH_BYTES + 64);
        ChunkHeader header = new ChunkHeader();
        header.set(ByteBuffer.wrap(sessionId).getLong(), fileId, 0, offset, lengthBytes, 0);
        header.write(frame);
        TreeDigest digest = new TreeDigest(DigestKind.XXH3_128);
        for (int leaf = 0; leaf < header.leaves(); leaf++) {
            digest.addZeroLeaf(header.leafBytes(leaf));
        }
        ChunkTrailer trailer = new ChunkTrailer(DigestKind.XXH3_128);
        digest.finish(trailer.digest());
        trailer.write(frame);
        byte[] bytes = new byte[frame.flip().remaining()];
        frame.get(bytes);
        return bytes;
    }

    /** Returns the header of a chunk that is sent as a digest only, and a digest. */
    static byte[] digestOnly(byte[] sessionId, int fileId, long offset, int lengthBytes) {
        ByteBuffer frame = ByteBuffer.allocate(ChunkHeader.LENGTH_BYTES + 64);
        ChunkHeader header = new ChunkHeader();
        header.setDigestOnly(ByteBuffer.wrap(sessionId).getLong(), fileId, offset, lengthBytes);
        header.write(frame);
        new ChunkTrailer(DigestKind.XXH3_128).write(frame);
        byte[] bytes = new byte[frame.flip().remaining()];
        frame.get(bytes);
        return bytes;
    }
}
