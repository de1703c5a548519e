package io.fdt.monitor;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The samples of the last quarter of an hour as JSON, also limited in bytes. Thread-safe. */
final class History {
    private static final int MAX_SAMPLES = 900;
    private static final long MAX_BYTES = 32L << 20;
    private static final byte[] OPEN = {'['};
    private static final byte[] COMMA = {','};
    private static final byte[] CLOSE = {']'};

    private final ArrayDeque<byte[]> samples = new ArrayDeque<>();
    private long bytes;

    synchronized void add(byte[] sample) {
        samples.addLast(sample);
        bytes += sample.length;
        while (samples.size() > MAX_SAMPLES || bytes > MAX_BYTES) {
            bytes -= samples.removeFirst().length;
        }
    }

    /** Returns all samples as one JSON array in pieces, the oldest first. */
    List<byte[]> toArray() {
        List<byte[]> array = new ArrayList<>();
        array.add(OPEN);
        synchronized (this) {
            for (byte[] sample : samples) {
                if (array.size() > 1) {
                    array.add(COMMA);
                }
                array.add(sample);
            }
        }
        array.add(CLOSE);
        return array;
    }
}
