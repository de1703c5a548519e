package io.fdt.core.objects;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** A disk in memory that can fail, can delay a flush, and can produce its contents after a power cut. */
final class MemoryDevice implements LogDevice {
    private static final int SECTOR_BYTES = 512;

    private byte[] written = new byte[0];
    private byte[] durable = new byte[0];
    private final List<long[]> pending = new ArrayList<>();

    final AtomicInteger flushes = new AtomicInteger();
    volatile Runnable beforeFlush = () -> {};
    volatile boolean failing;
    volatile boolean closed;

    static MemoryDevice holding(byte[] bytes) {
        MemoryDevice device = new MemoryDevice();
        device.written = bytes.clone();
        device.durable = bytes.clone();
        return device;
    }

    synchronized byte[] bytes() {
        return written.clone();
    }

    /**
     * Returns the contents after a power cut at this moment: everything that was flushed, and random sectors of the
     * rest.
     */
    synchronized byte[] afterPowerCut(Random random) {
        byte[] image = Arrays.copyOf(durable, random.nextBoolean() ? written.length : durable.length);
        for (long[] range : pending) {
            for (long at = range[0]; at < range[1]; at++) {
                if (at % SECTOR_BYTES == 0 || at == range[0]) {
                    boolean reached = random.nextBoolean();
                    long end = Math.min(range[1], (at / SECTOR_BYTES + 1) * SECTOR_BYTES);
                    for (long i = at; reached && i < end && i < image.length; i++) {
                        image[(int) i] = written[(int) i];
                    }
                }
            }
        }
        return image;
    }

    @Override
    public synchronized long lengthBytes() {
        return written.length;
    }

    @Override
    public synchronized void read(ByteBuffer into, long offset) {
        int count = (int) Math.max(0, Math.min(into.remaining(), written.length - offset));
        into.put(written, (int) offset, count);
    }

    @Override
    public synchronized void write(ByteBuffer bytes, long offset) {
        long end = offset + bytes.remaining();
        if (end > written.length) {
            written = Arrays.copyOf(written, (int) end);
        }
        bytes.get(written, (int) offset, bytes.remaining());
        pending.add(new long[] {offset, end});
    }

    @Override
    public synchronized void truncate(long lengthBytes) {
        written = Arrays.copyOf(written, (int) Math.min(lengthBytes, written.length));
    }

    @Override
    public void flush() throws IOException {
        beforeFlush.run();
        if (failing) {
            throw new IOException("Input/output error");
        }
        synchronized (this) {
            durable = written.clone();
            pending.clear();
        }
        flushes.incrementAndGet();
    }

    @Override
    public void close() {
        closed = true;
    }
}
