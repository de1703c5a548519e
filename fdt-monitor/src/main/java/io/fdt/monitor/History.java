package io.fdt.monitor;

import io.fdt.monitor.figure.Sample;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The samples of the last quarter of an hour as JSON, also limited in bytes. They become JSON only when somebody asks
 * for them. Thread-safe.
 */
final class History {
    static final int MAX_SAMPLES = 900;
    static final long MAX_BYTES = 32L << 20;
    /** A sample with more of them is kept as JSON, of which the bytes are known: 16 remote ends may have many cores. */
    static final int MAX_PARTS = 300;

    private static final byte[] OPEN = {'['};
    private static final byte[] COMMA = {','};
    private static final byte[] CLOSE = {']'};

    private final ArrayDeque<Kept> samples = new ArrayDeque<>();
    private long bytes;

    /** A sample until it becomes JSON. */
    private static final class Kept {
        private @Nullable Sample sample;
        private byte[] json;

        Kept(@Nullable Sample sample, byte[] json) {
            this.sample = sample;
            this.json = json;
        }

        /** Returns how many bytes more it takes. */
        int convert() {
            if (sample == null) {
                return 0;
            }
            json = SampleJson.of(sample);
            sample = null;
            return json.length;
        }
    }

    synchronized void add(byte[] json) {
        samples.addLast(new Kept(null, json));
        bytes += json.length;
        trim();
    }

    synchronized void add(Sample sample) {
        if (sample.parts() > MAX_PARTS) {
            add(SampleJson.of(sample));
        } else {
            samples.addLast(new Kept(sample, new byte[0]));
            trim();
        }
    }

    private void trim() {
        while (samples.size() > MAX_SAMPLES || bytes > MAX_BYTES) {
            bytes -= samples.removeFirst().json.length;
        }
    }

    /** Returns all samples as one JSON array in pieces, the oldest first. */
    synchronized List<byte[]> toArray() {
        samples.forEach(kept -> bytes += kept.convert());
        trim();
        List<byte[]> array = new ArrayList<>();
        array.add(OPEN);
        for (Kept kept : samples) {
            if (array.size() > 1) {
                array.add(COMMA);
            }
            array.add(kept.json);
        }
        array.add(CLOSE);
        return array;
    }
}
