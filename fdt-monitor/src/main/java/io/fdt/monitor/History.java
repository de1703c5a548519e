package io.fdt.monitor;

import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.List;

/** The samples of the last quarter of an hour as JSON, bounded in memory, too. Thread-safe. */
final class History implements SampleListener {
    private static final int MAX_SAMPLES = 900;
    private static final long MAX_BYTES = 32L << 20;

    private final ArrayDeque<byte[]> samples = new ArrayDeque<>();
    private long bytes;

    @Override
    public void onSample(Sample sample, List<Figure> figures) {
        add(SampleJson.of(sample));
    }

    synchronized void add(byte[] sample) {
        samples.addLast(sample);
        bytes += sample.length;
        while (samples.size() > MAX_SAMPLES || bytes > MAX_BYTES) {
            bytes -= samples.removeFirst().length;
        }
    }

    /** All of them as one JSON array, the oldest first. */
    byte[] toArray() {
        List<byte[]> now;
        synchronized (this) {
            now = List.copyOf(samples);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write('[');
        for (int i = 0; i < now.size(); i++) {
            if (i > 0) {
                out.write(',');
            }
            out.writeBytes(now.get(i));
        }
        out.write(']');
        return out.toByteArray();
    }
}
