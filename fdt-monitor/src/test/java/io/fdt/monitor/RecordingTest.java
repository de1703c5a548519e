package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.HostView;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AddressRules;
import io.fdt.core.stats.Moved;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.SessionState;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recording is read back unchanged, by any program too. Truncated, damaged or forged files are read safely. */
final class RecordingTest {
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final byte[] FACTS = "{\"host\":\"dtn1\"}".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path directory;

    private final List<String> warnings = new ArrayList<>();

    @Test
    void anySamplesAreReadAsTheyWere() throws IOException {
        long seed = Long.getLong("fdt.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        List<Sample> samples = IntStream.range(0, 2 * Recorder.SAMPLES_PER_MEMBER + 7)
                .mapToObj(i -> sample(random))
                .toList();

        Path file = recorded("any", samples);

        assertThat(read(file)).as("seed %s", seed).isEqualTo(json(samples));
        assertThat(unzipped(file)).as("seed %s", seed).isEqualTo(json(samples));
        assertThat(warnings).isEmpty();
    }

    /** As {@code zcat} shows it. */
    @Test
    void everySampleCanBeReadWhileTheFileIsBeingWritten() throws IOException {
        SplittableRandom random = new SplittableRandom(2);
        Path file = directory.resolve("open");
        Recorder recorder = new Recorder(file, () -> FACTS, warnings::add);
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            samples.add(sample(random));
            recorder.onSample(samples.get(i), List.of());
            assertThat(unzipped(file)).isEqualTo(json(samples));
            assertThat(read(file)).isEqualTo(json(samples));
        }
        recorder.onEnd();
        assertThat(unzipped(file)).isEqualTo(json(samples));
    }

    /** Another program may have written it, with the name of a file in its header. */
    @Test
    void aFileOfGzipIsContinued() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        List<Sample> samples = List.of(sample(random), sample(random));
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        try (GZIPOutputStream zipped = new GZIPOutputStream(plain)) {
            zipped.write(SampleJson.of(samples.get(0)));
            zipped.write('\n');
        }
        byte[] name = {'x', '.', 'j', 's', 'o', 'n', 0};
        byte[] bytes = plain.toByteArray();
        ByteBuffer named = ByteBuffer.allocate(bytes.length + name.length)
                .put(bytes, 0, 10)
                .put(name)
                .put(bytes, 10, bytes.length - 10)
                .put(3, (byte) 8);
        Path file = directory.resolve("named");
        Files.write(file, named.array());
        assertThat(read(file)).isEqualTo(json(samples.subList(0, 1)));
        record(file, samples.subList(1, 2));
        assertThat(read(file)).isEqualTo(json(samples));
    }

    /** Users who record for weeks rely on the size. */
    @Test
    void aQuietHostTakesFewBytes() throws IOException {
        List<Sample> samples = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(1);
        for (int second = 0; second < 600; second++) {
            List<HostView.Core> cores = IntStream.range(0, 24)
                    .mapToObj(core -> {
                        double user = random.nextInt(3) / 100.0;
                        return new HostView.Core(core, core / 12, new HostView.Shares(user, 0, 0, 0, 0, 0, 0));
                    })
                    .toList();
            samples.add(new Sample(
                    1_790_000_000_000L + 1000L * second,
                    "server",
                    new HostView("dtn1", cores, List.of()),
                    Sample.Devices.NONE,
                    List.of(),
                    List.of(),
                    Map.of()));
        }
        Path file = recorded("quiet", samples);
        assertThat(Files.size(file)).isLessThan(600L * 160);
        assertThat(read(file)).isEqualTo(json(samples));
    }

    @Test
    void aSampleWithVeryManyLanesIsReadAgain() throws IOException {
        List<LaneState> lanes = IntStream.range(0, 50_000)
                .mapToObj(lane -> new LaneState(
                        "s", lane, "in", lane, 1, new Sample.Connection(1, 0, 1), new Sample.Place(0, 0, null)))
                .toList();
        Sample many = new Sample(
                1,
                "server",
                new HostView("dtn1", List.of(), List.of()),
                Sample.Devices.NONE,
                List.of(),
                lanes,
                Map.of());
        Path file = recorded("lanes", List.of(many));
        record(file, List.of(many));
        assertThat(read(file)).hasSize(2).allMatch(json -> json.contains("\"lane\":19999"));
    }

    /** The maximum that a sampler accepts, from hosts that send as much as they may. */
    @Test
    void aSampleWithVeryManyHostsIsReadAgain() throws IOException {
        List<HostView.Core> cores = IntStream.range(0, 1024)
                .mapToObj(core -> new HostView.Core(core, 0, new HostView.Shares(0.1, 0, 0, 0, 0, 0, 0)))
                .toList();
        List<HostView.Nic> nics = IntStream.range(0, 64)
                .mapToObj(nic -> new HostView.Nic("n" + nic, 1, "b" + nic, Long.MAX_VALUE, 0, 0, 0))
                .toList();
        Map<String, HostView> peers = new LinkedHashMap<>();
        IntStream.range(0, Sampler.MAX_PEERS)
                .forEach(session -> peers.put("s" + session, new HostView("h", cores, nics)));
        Sample many = new Sample(
                1,
                "server",
                new HostView("dtn1", List.of(), List.of()),
                Sample.Devices.NONE,
                List.of(),
                List.of(),
                peers);
        Path file = recorded("hosts", List.of(many));
        record(file, List.of(many));
        assertThat(read(file)).hasSize(2).allMatch(json -> json.contains("\"s9\""));
    }

    @Test
    void aRecordingThatWasCutShortAnywhereIsReadAndContinued() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        List<Sample> samples = List.of(sample(random), sample(random), sample(random));
        List<Integer> sizes = new ArrayList<>();
        Path file = directory.resolve("three");
        Recorder recorder = new Recorder(file, () -> FACTS, warnings::add);
        for (Sample sample : samples) {
            recorder.onSample(sample, List.of());
            sizes.add((int) Files.size(file));
        }
        recorder.onEnd();
        byte[] bytes = Files.readAllBytes(file);
        Sample later = sample(random);
        for (int length = 1; length < bytes.length; length++) {
            int end = length;
            List<Sample> there = new ArrayList<>(samples.subList(
                    0, (int) sizes.stream().filter(size -> size <= end).count()));
            Path torn = directory.resolve("torn-" + length);
            Files.write(torn, Arrays.copyOf(bytes, length));
            List<String> found = read(torn);
            // The last sample may already be readable without its last bytes.
            assertThat(found).hasSizeBetween(there.size(), there.size() + 1);
            assertThat(found.subList(0, there.size())).isEqualTo(json(there));
            warnings.clear();

            record(torn, List.of(later));

            assertThat(warnings).hasSize(1).first().asString().contains("torn", "not finished");
            found.addAll(json(List.of(later)));
            assertThat(read(torn)).as("%s bytes", length).isEqualTo(found);
            assertThat(unzipped(torn)).isEqualTo(found);
            Files.delete(torn);
        }
        Path zeros = directory.resolve("zeros");
        for (int length : new int[] {sizes.get(1), bytes.length}) {
            Files.write(zeros, Arrays.copyOf(Arrays.copyOf(bytes, length), length + 4096));
            List<String> found = read(zeros);
            assertThat(found.subList(0, 2)).isEqualTo(json(samples.subList(0, 2)));
            record(zeros, List.of(later));
            assertThat(read(zeros)).hasSize(found.size() + 1);
        }
    }

    @Test
    void aDamagedRecordingIsNotWrittenTo() throws IOException {
        SplittableRandom random = new SplittableRandom(4);
        Path file = recorded("damaged", List.of(sample(random), sample(random), sample(random)));
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 5] ^= 0x10;
        Files.write(file, bytes);

        assertThatThrownBy(() -> record(file, List.of(sample(random))))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(FailureKind.USAGE))
                .hasMessageContaining("damaged at byte 0");
        assertThat(file).hasBinaryContent(bytes);
    }

    /** Weeks of samples took as long to read as the copy or the server then had to wait. */
    @Test
    void aRecordingThatWasEndedIsContinuedWithoutReadingIt() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        Path file = recorded("ended", List.of(sample(random), sample(random)));
        record(file, List.of(sample(random)));
        assertThat(read(file)).hasSize(3);
        // Damage that a reader would find, in a file that looks unchanged.
        FileTime time = Files.getLastModifiedTime(file);
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 5] ^= 0x10;
        Files.write(file, bytes);
        Files.setLastModifiedTime(file, time);
        record(file, List.of(sample(random)));
        assertThat(Files.size(file)).isGreaterThan(bytes.length);
    }

    @Test
    void aFileThatIsNotARecordingIsNeitherReadNorWrittenTo() throws IOException {
        byte[] zeros = new byte[100];
        byte[] letter = "Dear operator,\n".getBytes(StandardCharsets.UTF_8);
        byte[] note = "Dear".getBytes(StandardCharsets.UTF_8);
        byte[] newer = zipped("{\"recording\":2,\"facts\":{}}\n");
        byte[] zippedLetter = zipped("Dear operator,\n");
        byte[] cut = Arrays.copyOf(zipped("Dear operator"), 20);
        byte[] other = zipped("{\"type\":\"summary\"}\n");
        for (byte[] content : List.of(zeros, letter, note, newer, zippedLetter, cut, other)) {
            Path file = directory.resolve("other");
            Files.write(file, content);
            assertThatThrownBy(() -> RecordingReader.open(file)).hasMessageContaining("not a recording");
            assertThatThrownBy(() -> record(file, List.of())).hasMessageContaining("not a recording");
            assertThat(file).hasBinaryContent(content);
        }

        assertThatThrownBy(() -> RecordingReader.open(directory.resolve("absent")))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(FailureKind.SOURCE));

        Path below = directory.resolve("other").resolve("below");
        assertThatThrownBy(() -> RecordingReader.open(below))
                .hasMessage("cannot read the recording " + below + ": Not a directory");
    }

    private static byte[] zipped(String text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zipped = new GZIPOutputStream(out)) {
            zipped.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return out.toByteArray();
    }

    @Test
    void twoDoNotRecordToOneFile() {
        Path file = directory.resolve("one");
        Recorder first = new Recorder(file, () -> FACTS, warnings::add);
        assertThatThrownBy(() -> new Recorder(file, () -> FACTS, warnings::add)).hasMessageContaining("already");
        first.onEnd();
        new Recorder(file, () -> FACTS, warnings::add).onEnd();
    }

    /**
     * Goal: no bytes make a reader throw an undeclared exception or read without end. Method: change and truncate files
     * and samples, with a printed seed.
     */
    @Test
    void survivesAnyBytes() throws IOException {
        long seed = Long.getLong("fdt.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        int refused = 0;
        for (int round = 0; round < 2_000; round++) {
            Path file = directory.resolve("changed");
            Files.deleteIfExists(file);
            record(file, List.of(sample(random), sample(random)));
            Files.write(file, changed(Files.readAllBytes(file), random));
            byte[] json = changed(SampleJson.of(sample(random)), random);
            try {
                new Replay(file, new Monitor.Page(LOOPBACK, null, AddressRules.ANY), warnings::add).close();
            } catch (TransferException expected) {
                refused++;
            } catch (RuntimeException unexpected) {
                throw new AssertionError("seed " + seed + " round " + round, unexpected);
            }
            try {
                SampleJson.read(json, 0);
            } catch (IOException expected) {
                refused++;
            } catch (RuntimeException unexpected) {
                throw new AssertionError("seed " + seed + " " + new String(json, StandardCharsets.UTF_8), unexpected);
            }
        }
        assertThat(refused).isGreaterThan(1000);
    }

    private static byte[] changed(byte[] bytes, SplittableRandom random) {
        for (int change = random.nextInt(4); change >= 0; change--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length + 8)) : bytes;
    }

    private Path recorded(String name, List<Sample> samples) throws IOException {
        Path file = directory.resolve(name);
        record(file, samples);
        return file;
    }

    private void record(Path file, List<Sample> samples) throws IOException {
        Recorder recorder = new Recorder(file, () -> FACTS, warnings::add);
        samples.forEach(sample -> recorder.onSample(sample, List.of()));
        recorder.onEnd();
    }

    /** Returns the samples, each read and written again. */
    private static List<String> read(Path file) throws IOException {
        List<String> samples = new ArrayList<>();
        try (RecordingReader reader = RecordingReader.open(file)) {
            for (byte[] json = reader.next(); json != null; json = reader.next()) {
                RecordedLine line = RecordedLine.parse(json);
                assertThat(line).isNotNull();
                if (line.sample() == null) {
                    assertThat(line.facts()).isEqualTo(FACTS);
                } else {
                    samples.add(new String(SampleJson.of(SampleJson.read(line.sample(), 0)), StandardCharsets.UTF_8));
                }
            }
        }
        return samples;
    }

    /** Returns the samples that a program without knowledge of recordings finds. */
    private static List<String> unzipped(Path file) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (InputStream in = new GZIPInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            for (int next = in.read(); next >= 0; next = in.read()) {
                text.write(next);
            }
        } catch (EOFException notFinished) {
            // What was read until here is valid.
        }
        return text.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("{\"t\":") && line.endsWith("}"))
                .toList();
    }

    private static List<String> json(List<Sample> samples) {
        return samples.stream()
                .map(sample -> new String(SampleJson.of(sample), StandardCharsets.UTF_8))
                .toList();
    }

    private static Sample sample(SplittableRandom random) {
        Map<String, HostView> peers = new LinkedHashMap<>();
        for (int peer = random.nextInt(3); peer > 0; peer--) {
            peers.put("s" + peer, new HostView(word(random), many(random, () -> core(random)), nics(random)));
        }
        return new Sample(
                random.nextLong(1L << 45),
                word(random),
                new HostView(word(random), many(random, () -> core(random)), nics(random)),
                new Sample.Devices(
                        many(
                                random,
                                () -> new QueueRate(
                                        word(random),
                                        word(random),
                                        random.nextInt(4096),
                                        random.nextInt(66) - 1,
                                        rate(random))),
                        many(random, () -> root(random))),
                many(random, () -> session(random)),
                many(random, () -> lane(random)),
                peers);
    }

    private static Sample.RootState root(SplittableRandom random) {
        return new Sample.RootState(
                word(random),
                word(random),
                new Sample.Room(number(random) - 1, number(random) - 1),
                new Sample.DiskRate(rate(random), number(random) - 1),
                new Sample.DiskRate(rate(random), number(random) - 1));
    }

    private static SessionState session(SplittableRandom random) {
        return new SessionState(
                new Sample.SessionName(
                        word(random), word(random), word(random), word(random), word(random), word(random)),
                new Sample.Amounts(
                        number(random),
                        number(random) - 1,
                        number(random),
                        number(random),
                        number(random) - 1,
                        new Moved(number(random), number(random), number(random), number(random), number(random)),
                        rate(random)),
                new Sample.Run(
                        number(random),
                        number(random) - 1,
                        random.nextBoolean() ? null : word(random),
                        random.nextInt(15) - 1,
                        random.nextBoolean() ? null : word(random)),
                random.nextBoolean() ? null : new Sample.Limit(word(random), word(random)),
                number(random),
                null,
                null);
    }

    private static LaneState lane(SplittableRandom random) {
        return new LaneState(
                word(random),
                random.nextInt(1024),
                word(random),
                number(random),
                rate(random),
                new Sample.Connection(number(random) - 1, number(random) - 1, number(random) - 1),
                new Sample.Place(
                        random.nextInt(65) - 1, random.nextInt(65) - 1, random.nextBoolean() ? null : word(random)));
    }

    private static HostView.Core core(SplittableRandom random) {
        return new HostView.Core(
                random.nextInt(8192),
                random.nextInt(9) - 1,
                new HostView.Shares(
                        random.nextDouble(),
                        0,
                        random.nextDouble(),
                        random.nextInt(2),
                        random.nextDouble(),
                        random.nextDouble(),
                        0));
    }

    private static List<HostView.Nic> nics(SplittableRandom random) {
        return many(
                random,
                () -> new HostView.Nic(
                        word(random),
                        number(random) - 1,
                        random.nextBoolean() ? null : word(random),
                        rate(random),
                        rate(random),
                        rate(random),
                        rate(random)));
    }

    private static <T> List<T> many(SplittableRandom random, Supplier<T> one) {
        return IntStream.range(0, random.nextInt(5)).mapToObj(i -> one.get()).toList();
    }

    private static String word(SplittableRandom random) {
        return List.of("", "eth0", "s1", "Ünïcødé ☃", "<b>", "\u0000", "x".repeat(300))
                .get(random.nextInt(7));
    }

    private static long number(SplittableRandom random) {
        return random.nextInt(4) == 0 ? Long.MAX_VALUE : random.nextLong(1L << random.nextInt(1, 62));
    }

    private static double rate(SplittableRandom random) {
        return random.nextInt(4) == 0 ? -1 : random.nextDouble() * 1e11;
    }
}
