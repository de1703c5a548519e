package io.fdt.core.framedlog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read from a log is a prefix of what was written, whatever happened to the file. Seeds are printed. */
final class FrameTest {
    private static final int MAX_BODY_BYTES = 300;
    private static final int HEAD_BYTES = 5;
    private static final int ROUNDS = 40;

    private final long seed = Long.getLong("fdt.seed", 1);
    private final SplittableRandom random = new SplittableRandom(seed);

    /** The bodies that were read, and the length of the valid part of the log. */
    private record Read(List<ByteBuffer> bodies, int wholeBytes) {}

    private List<ByteBuffer> bodies() {
        List<ByteBuffer> bodies = new ArrayList<>();
        for (int left = random.nextInt(6); left >= 0; left--) {
            byte[] body = new byte[random.nextInt(1, random.nextBoolean() ? 10 : MAX_BODY_BYTES)];
            // Some bytes stay zero: lengths and bodies that look alike deceive a reader most easily.
            for (int i = 0; i < body.length && random.nextInt(4) != 0; i++) {
                body[i] = (byte) random.nextInt(random.nextBoolean() ? 256 : 3);
            }
            bodies.add(ByteBuffer.wrap(body));
        }
        return bodies;
    }

    private static byte[] frame(ByteBuffer body) {
        byte[] bytes = new byte[body.remaining()];
        body.get(0, bytes);
        return Frame.of(bytes);
    }

    private static byte[] log(List<ByteBuffer> bodies) {
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        log.writeBytes(new byte[HEAD_BYTES]);
        bodies.forEach(body -> log.writeBytes(frame(body)));
        return log.toByteArray();
    }

    private static int endOf(List<ByteBuffer> bodies, int count) {
        return HEAD_BYTES
                + bodies.subList(0, count).stream()
                        .mapToInt(body -> body.remaining() + Frame.OVERHEAD_BYTES)
                        .sum();
    }

    private Read read(byte[] log) throws IOException {
        FrameReader reader = new FrameReader(
                (into, offset) -> {
                    int count = (int) Math.max(0, Math.min(into.remaining(), log.length - offset));
                    into.put(log, (int) Math.min(offset, log.length), count);
                },
                ByteBuffer.allocate(random.nextInt(1, 2 * MAX_BODY_BYTES)),
                HEAD_BYTES,
                MAX_BODY_BYTES);
        List<ByteBuffer> bodies = new ArrayList<>();
        for (ByteBuffer body = reader.next(); body != null; body = reader.next()) {
            bodies.add(ByteBuffer.allocate(body.remaining()).put(body).flip());
        }
        return new Read(bodies, (int) reader.position());
    }

    /** Returns the log after it was truncated to its valid part and a record was appended. */
    private static byte[] continued(byte[] log, int wholeBytes, ByteBuffer more) {
        byte[] frame = frame(more);
        byte[] longer = Arrays.copyOf(log, wholeBytes + frame.length);
        System.arraycopy(frame, 0, longer, wholeBytes, frame.length);
        return longer;
    }

    private void assertGoesOn(byte[] log, Read read, String what) throws IOException {
        ByteBuffer more = ByteBuffer.wrap(new byte[] {1, 2, 3});
        List<ByteBuffer> expected = new ArrayList<>(read.bodies);
        expected.add(more);
        assertThat(read(continued(log, read.wholeBytes, more)).bodies).as(what).isEqualTo(expected);
    }

    @Test
    void logThatWasCutAnywhereHoldsTheWholeRecordsBeforeTheCutAndGoesOn() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            List<ByteBuffer> bodies = bodies();
            byte[] whole = log(bodies);
            int count = 0;
            for (int cut = HEAD_BYTES; cut <= whole.length; cut++) {
                String what = "seed " + seed + " round " + round + " cut at " + cut;
                count += count < bodies.size() && endOf(bodies, count + 1) <= cut ? 1 : 0;
                byte[] log = Arrays.copyOf(whole, cut);
                Read read = read(log);
                assertThat(read.bodies).as(what).isEqualTo(bodies.subList(0, count));
                assertThat(read.wholeBytes).as(what).isEqualTo(endOf(bodies, count));
                assertGoesOn(log, read, what);
            }
        }
    }

    @Test
    void logWithAnyByteChangedHoldsTheRecordsBeforeItAndGoesOn() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            List<ByteBuffer> bodies = bodies();
            byte[] whole = log(bodies);
            int count = 0;
            for (int at = HEAD_BYTES; at < whole.length; at++) {
                String what = "seed " + seed + " round " + round + " byte " + at;
                count += endOf(bodies, count + 1) <= at ? 1 : 0;
                byte[] log = whole.clone();
                log[at] ^= (byte) random.nextInt(1, 256);
                Read read = read(log);
                assertThat(read.bodies).as(what).isEqualTo(bodies.subList(0, count));
                assertThat(read.wholeBytes).as(what).isEqualTo(endOf(bodies, count));
                assertGoesOn(log, read, what);
            }
        }
    }

    @Test
    void zerosBehindAllRecordsAreIgnored() throws IOException {
        List<ByteBuffer> bodies = bodies();
        byte[] whole = log(bodies);
        assertThat(read(Arrays.copyOf(whole, whole.length + MAX_BODY_BYTES)).bodies)
                .as("seed %d", seed)
                .isEqualTo(bodies);
    }

    @Test
    void fileIsReadFromAnyFrameOnAndFramesMayBeMadeInPlace(@TempDir Path directory) throws IOException {
        List<ByteBuffer> bodies = bodies();
        ByteBuffer frames = ByteBuffer.allocateDirect(endOf(bodies, bodies.size()));
        frames.position(HEAD_BYTES);
        for (ByteBuffer body : bodies) {
            int start = Frame.begin(frames);
            Frame.end(frames.put(body.duplicate()), start);
        }
        Path file = directory.resolve("log");
        Files.write(file, log(bodies));
        assertThat(frames.flip()).isEqualTo(ByteBuffer.wrap(Files.readAllBytes(file)));

        try (FileChannel channel = FileChannel.open(file)) {
            for (int i = bodies.size() - 1; i >= 0; i--) {
                FrameReader reader = new FrameReader(channel, endOf(bodies, i), MAX_BODY_BYTES);
                assertThat(reader.next()).as("seed %d", seed).isEqualTo(bodies.get(i));
                assertThat(reader.position()).isEqualTo(endOf(bodies, i + 1));
            }
        }
    }
}
