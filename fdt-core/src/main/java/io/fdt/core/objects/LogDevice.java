package io.fdt.core.objects;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The storage of a log; tests replace it to inject disk failures and power cuts. One call at a time. */
interface LogDevice extends AutoCloseable {
    long lengthBytes() throws IOException;

    /** Fills the buffer from this offset on; fills it only in part if the log ends first. */
    void read(ByteBuffer into, long offset) throws IOException;

    /** Writes the remaining bytes of the buffer. */
    void write(ByteBuffer bytes, long offset) throws IOException;

    void truncate(long lengthBytes) throws IOException;

    /** When it returns, everything that was written is durable, including the length. */
    void flush() throws IOException;

    @Override
    void close() throws IOException;
}
