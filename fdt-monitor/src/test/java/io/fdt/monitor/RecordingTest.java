package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.FailureKind;
import io.fdt.core.HostView;
import io.fdt.core.TransferException;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.SessionState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recording is read back unchanged. Truncated, damaged or forged files are read safely. */
final class RecordingTest {
    private static final byte[] FACTS = "{\"host\":\"dtn1\"}".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path directory;

    private final List<String> warnings = new ArrayList<>();

    /** Unrelated samples, so that every kind of difference occurs, with several complete samples among them. */
    @Test
    void anySamplesAreReadAsTheyWere() throws IOException {
        long seed = Long.getLong("fdt.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        List<Sample> samples = IntStream.range(0, 2 * RecordingFormat.WHOLE_EVERY + 7)
                .mapToObj(i -> sample(random))
                .toList();

        Path file = recorded("any", samples);

        assertThat(read(file)).as("seed %s", seed).isEqualTo(json(samples));
        assertThat(warnings).isEmpty();
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
                        return new HostView.Core(core, core / 12, user, 0, 0, 0, 0, 0, 0, 1 - user);
                    })
                    .toList();
            samples.add(new Sample(
                    1_790_000_000_000L + 1000L * second,
                    "server",
                    new HostView("dtn1", cores, List.of()),
                    List.of(),
                    List.of(),
                    List.of(),
                    Map.of()));
        }
        Path file = recorded("quiet", samples);
        assertThat(Files.size(file)).isLessThan(600L * 160);
        assertThat(read(file)).isEqualTo(json(samples));
    }

    /** A peer that reports false NICs may cause this. */
    @Test
    void otherNamesInEverySampleLeaveItReadable() throws IOException {
        List<Sample> samples = IntStream.range(0, RecordingFormat.WHOLE_EVERY)
                .mapToObj(second -> {
                    List<HostView.Nic> nics = IntStream.range(0, 64)
                            .mapToObj(nic -> new HostView.Nic(second + "n" + nic, 1, second + "b" + nic, 0, 0, 0, 0))
                            .toList();
                    HostView peer = new HostView("h" + second, List.of(), nics);
                    return new Sample(
                            1000L * second,
                            "server",
                            new HostView("dtn1", List.of(), List.of()),
                            List.of(),
                            List.of(),
                            List.of(),
                            Map.of("s1", peer, "s2", new HostView("", List.of(), others(nics))));
                })
                .toList();

        Path file = recorded("names", samples);

        assertThat(read(file)).isEqualTo(json(samples));
        record(file, samples.subList(0, 1));
        assertThat(read(file)).hasSize(samples.size() + 1);
    }

    @Test
    void aSampleWithVeryManyLanesIsReadAgain() throws IOException {
        List<LaneState> lanes = IntStream.range(0, 50_000)
                .mapToObj(lane -> new LaneState("s", lane, "in", lane, 1, 1, 0, 1, 0, 0, null))
                .toList();
        Sample many = new Sample(
                1, "server", new HostView("dtn1", List.of(), List.of()), List.of(), List.of(), lanes, Map.of());
        Path file = recorded("lanes", List.of(many));
        record(file, List.of(many));
        assertThat(read(file)).hasSize(2).allMatch(json -> json.contains("\"lane\":19999"));
    }

    /** The maximum that a sampler accepts, from hosts that send as much as they may. */
    @Test
    void aSampleWithVeryManyHostsIsReadAgain() throws IOException {
        List<HostView.Core> cores = IntStream.range(0, 1024)
                .mapToObj(core -> new HostView.Core(core, 0, 0.1, 0, 0, 0, 0, 0, 0, 0.9))
                .toList();
        List<HostView.Nic> nics = IntStream.range(0, 64)
                .mapToObj(nic -> new HostView.Nic("n" + nic, 1, "b" + nic, Long.MAX_VALUE, 0, 0, 0))
                .toList();
        Map<String, HostView> peers = new LinkedHashMap<>();
        IntStream.range(0, Sampler.MAX_PEERS)
                .forEach(session -> peers.put("s" + session, new HostView("h", cores, nics)));
        Sample many = new Sample(
                1, "server", new HostView("dtn1", List.of(), List.of()), List.of(), List.of(), List.of(), peers);
        Path file = recorded("hosts", List.of(many));
        record(file, List.of(many));
        assertThat(read(file)).hasSize(2).allMatch(json -> json.contains("\"s9\""));
    }

    private static List<HostView.Nic> others(List<HostView.Nic> nics) {
        return nics.stream()
                .map(nic -> new HostView.Nic("x" + nic.nic(), 1, "x" + nic.bond(), 0, 0, 0, 0))
                .toList();
    }

    @Test
    void aTornTailIsCutOffWhereverItWasTornAndTheRecordingGoesOn() throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        List<Sample> samples = List.of(sample(random), sample(random), sample(random));
        Path two = recorded("two", samples.subList(0, 2));
        Path three = recorded("three", samples);
        byte[] bytes = Files.readAllBytes(three);
        Sample later = sample(random);
        for (int length = (int) Files.size(two) + 1; length < bytes.length; length++) {
            warnings.clear();
            Path torn = directory.resolve("torn-" + length);
            Files.write(torn, Arrays.copyOf(bytes, length));
            assertThat(read(torn)).isEqualTo(json(samples.subList(0, 2)));

            record(torn, List.of(later));

            assertThat(warnings).hasSize(1).first().asString().contains("torn", length - Files.size(two) + " bytes");
            assertThat(read(torn)).isEqualTo(json(List.of(samples.get(0), samples.get(1), later)));
            Files.delete(torn);
        }
        Path zeros = directory.resolve("zeros");
        Files.write(zeros, Arrays.copyOf(bytes, bytes.length + 4096));
        record(zeros, List.of(later));
        assertThat(read(zeros)).hasSize(4);
    }

    @Test
    void whatIsDamagedInTheMiddleIsNotWrittenOver() throws IOException {
        SplittableRandom random = new SplittableRandom(4);
        Path file = recorded("damaged", List.of(sample(random), sample(random), sample(random)));
        byte[] bytes = Files.readAllBytes(file);
        bytes[RecordingFormat.HEAD.length + 30 + FACTS.length] ^= 0x10;
        Files.write(file, bytes);

        assertThat(read(file)).isEmpty();
        assertThatThrownBy(() -> record(file, List.of(sample(random))))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(FailureKind.USAGE))
                .hasMessageContaining("damaged at byte");
        assertThat(file).hasBinaryContent(bytes);
    }

    @Test
    void whatIsNoRecordingIsNeitherReadNorWrittenTo() throws IOException {
        Path letter = directory.resolve("letter");
        Files.writeString(letter, "Dear operator,\n");
        assertThatThrownBy(() -> RecordingReader.open(letter)).hasMessageContaining("not a recording");
        assertThatThrownBy(() -> record(letter, List.of())).hasMessageContaining("not a recording");
        assertThat(letter).hasContent("Dear operator,\n");

        Path newer = directory.resolve("newer");
        byte[] head = RecordingFormat.HEAD.clone();
        head[head.length - 1] = 9;
        Files.write(newer, head);
        assertThatThrownBy(() -> RecordingReader.open(newer)).hasMessageContaining("version 9");

        assertThatThrownBy(() -> RecordingReader.open(directory.resolve("absent")))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(FailureKind.SOURCE));

        Path below = letter.resolve("below");
        assertThatThrownBy(() -> RecordingReader.open(below))
                .hasMessage("cannot read the recording " + below + ": Not a directory");
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
     * Goal: no bytes make the reader throw an undeclared exception or allocate more memory than their size justifies.
     * Method: change, truncate and extend payloads of real samples, with a valid checksum and a printed seed.
     */
    @Test
    void survivesAnyBytes() throws IOException {
        long seed = Long.getLong("fdt.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        int refused = 0;
        for (int round = 0; round < 20_000; round++) {
            RecordingFormat.Encoder encoder = new RecordingFormat.Encoder();
            byte[] payload = encoder.encode(sample(random));
            for (int change = random.nextInt(4); change >= 0; change--) {
                payload[random.nextInt(payload.length)] = (byte) random.nextInt();
            }
            if (random.nextInt(4) == 0) {
                payload = Arrays.copyOf(payload, 1 + random.nextInt(payload.length + 8));
            }
            try {
                new RecordingFormat.Decoder().decode(ByteBuffer.wrap(payload));
            } catch (SampleVector.MisfitException expected) {
                refused++;
            } catch (RuntimeException unexpected) {
                throw new AssertionError("seed " + seed + " " + Arrays.toString(payload), unexpected);
            }
        }
        assertThat(refused).isGreaterThan(1000);

        for (int length : new int[] {-1, 0, RecordingFormat.MAX_PAYLOAD_BYTES + 1, Integer.MAX_VALUE}) {
            Path file = directory.resolve("length" + length);
            byte[] bytes = Arrays.copyOf(RecordingFormat.HEAD, RecordingFormat.HEAD.length + 100);
            ByteBuffer.wrap(bytes).putInt(RecordingFormat.HEAD.length, length);
            Files.write(file, bytes);
            assertThat(read(file)).isEmpty();
        }
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

    /** Returns samples as JSON, where two samples are equal if their visible values are. */
    private static List<String> read(Path file) throws IOException {
        List<String> samples = new ArrayList<>();
        try (RecordingReader reader = RecordingReader.open(file)) {
            for (RecordingReader.Entry entry = reader.next(); entry != null; entry = reader.next()) {
                Sample sample = entry.sample();
                if (sample != null) {
                    samples.add(new String(SampleJson.of(sample), StandardCharsets.UTF_8));
                }
            }
            if (!samples.isEmpty()) {
                assertThat(reader.facts()).isEqualTo(FACTS);
            }
        }
        return samples;
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
                many(
                        random,
                        () -> new QueueRate(
                                word(random),
                                word(random),
                                random.nextInt(4096),
                                random.nextInt(66) - 1,
                                rate(random))),
                many(random, () -> session(random)),
                many(random, () -> lane(random)),
                peers);
    }

    private static SessionState session(SplittableRandom random) {
        return new SessionState(
                word(random),
                word(random),
                word(random),
                word(random),
                number(random),
                number(random) - 1,
                number(random),
                number(random) - 1,
                rate(random),
                number(random),
                random.nextBoolean() ? null : word(random),
                random.nextBoolean() ? null : word(random),
                null,
                null,
                random.nextBoolean());
    }

    private static LaneState lane(SplittableRandom random) {
        return new LaneState(
                word(random),
                random.nextInt(1024),
                word(random),
                number(random),
                rate(random),
                number(random) - 1,
                number(random) - 1,
                number(random) - 1,
                random.nextInt(65) - 1,
                random.nextInt(65) - 1,
                random.nextBoolean() ? null : word(random));
    }

    private static HostView.Core core(SplittableRandom random) {
        return new HostView.Core(
                random.nextInt(8192),
                random.nextInt(9) - 1,
                random.nextDouble(),
                0,
                random.nextDouble(),
                random.nextInt(2),
                random.nextDouble(),
                random.nextDouble(),
                0,
                random.nextDouble());
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
