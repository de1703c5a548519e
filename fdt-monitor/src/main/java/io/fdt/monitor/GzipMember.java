package io.fdt.monitor;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Compresses lines as members of a gzip file. What was flushed can be read before the member ends. For one thread. */
final class GzipMember {
    private static final byte[] HEADER = {0x1f, (byte) 0x8b, Deflater.DEFLATED, 0, 0, 0, 0, 0, 0, (byte) 0xff};
    private static final int TRAILER_BYTES = 8;

    private final Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
    private final CRC32 checksum = new CRC32();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final byte[] piece = new byte[16 << 10];
    private boolean open;

    /** Adds a line, which gets its newline here. */
    void add(byte[] line) {
        if (!open) {
            open = true;
            out.writeBytes(HEADER);
        }
        compress(line, Deflater.NO_FLUSH);
        compress(new byte[] {'\n'}, Deflater.NO_FLUSH);
    }

    private void compress(byte[] bytes, int flush) {
        checksum.update(bytes);
        deflater.setInput(bytes);
        drain(flush);
    }

    private void drain(int flush) {
        int count = piece.length;
        while (count == piece.length) {
            count = deflater.deflate(piece, 0, piece.length, flush);
            out.write(piece, 0, count);
        }
    }

    /** Returns the number of uncompressed bytes of the member. */
    long textBytes() {
        return deflater.getBytesRead();
    }

    /** Returns the bytes to append to the file, with which all lines so far can be read. */
    ByteBuffer flush() {
        drain(Deflater.SYNC_FLUSH);
        return taken();
    }

    /** Returns the bytes with which the member ends; none if it has no lines. */
    ByteBuffer end() {
        if (open) {
            deflater.finish();
            drain(Deflater.NO_FLUSH);
            out.writeBytes(ByteBuffer.allocate(TRAILER_BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt((int) checksum.getValue())
                    .putInt((int) deflater.getBytesRead())
                    .array());
            deflater.reset();
            checksum.reset();
            open = false;
        }
        return taken();
    }

    private ByteBuffer taken() {
        ByteBuffer bytes = ByteBuffer.wrap(out.toByteArray());
        out.reset();
        return bytes;
    }
}
