package io.fdt.core.objects;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where a log lies: the seam at which tests fail the disk and cut the power. One call at a time. */
interface LogDevice extends AutoCloseable {
    long lengthBytes() throws IOException;

    /** Fills the buffer from this offset on, short only where the log ends. */
    void read(ByteBuffer into, long offset) throws IOException;

    /** Writes all that remains in the buffer. */
    void write(ByteBuffer bytes, long offset) throws IOException;

    void truncate(long lengthBytes) throws IOException;

    /** What was written is durable when this returns, and so is the length. */
    void flush() throws IOException;

    @Override
    void close() throws IOException;
}
