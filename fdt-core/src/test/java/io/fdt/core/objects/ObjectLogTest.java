package io.fdt.core.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectLogTest {
    private static final long BOUND = 64 << 20;
    private static final int HEADER_BYTES = 64;
    private static final int GROUP_BYTES = 64 << 10;

    @TempDir
    private Path directory;

    private static ObjectLog log(LogDevice device, boolean keep) throws IOException {
        return new ObjectLog(device, keep, BOUND, GROUP_BYTES);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteBuffer buffer) {
        return StandardCharsets.UTF_8.decode(buffer.duplicate()).toString();
    }

    private static List<String> replayed(ObjectLog log) {
        List<String> writes = new ArrayList<>();
        log.replay((key, value, version) -> writes.add(text(key) + "=" + text(value) + "@" + version));
        return writes;
    }

    @Test
    void holdsEveryWriteInOrderAfterItIsOpenedAgain() {
        List<String> expected = new ArrayList<>();
        try (ObjectLog log = ObjectLog.open(directory.resolve("made"), false, BOUND)) {
            for (int i = 0; i < 100; i++) {
                log.await(log.append(bytes("key" + i % 7), bytes("v".repeat(i)), i));
                expected.add("key" + i % 7 + "=" + "v".repeat(i) + "@" + i);
            }
            assertThat(log.groups()).isEqualTo(100);
        }
        try (ObjectLog again = ObjectLog.open(directory.resolve("made"), true, BOUND)) {
            assertThat(replayed(again)).isEqualTo(expected);
            assertThat(again.records()).isEqualTo(100);
        }
    }

    @Test
    void replaysRecordsAcrossReadBoundaries() throws IOException {
        MemoryDevice device = new MemoryDevice();
        List<Integer> lengths = new ArrayList<>();
        try (ObjectLog log = log(device, false)) {
            long last = 0;
            for (int i = 0; i < 50; i++) {
                int length = GROUP_BYTES - 1000 - i * 777;
                last = log.append(bytes("k"), ByteBuffer.allocate(length), i);
                lengths.add(length);
            }
            log.await(last);
            assertThat(log.groups()).isGreaterThan(20);
        }
        List<Integer> found = new ArrayList<>();
        log(MemoryDevice.holding(device.bytes()), true).replay((key, value, version) -> found.add(value.remaining()));
        assertThat(found).isEqualTo(lengths);
    }

    /** Goal: a killed process loses nothing that was acknowledged. Method: cut the log at every byte. */
    @Test
    void truncatedLogKeepsCompleteRecordsAndAcceptsMore() throws IOException {
        MemoryDevice device = new MemoryDevice();
        List<Long> ends = new ArrayList<>();
        List<String> writes = new ArrayList<>();
        try (ObjectLog log = log(device, false)) {
            for (int i = 0; i < 6; i++) {
                long ticket = log.append(bytes("key" + i), bytes("x".repeat(i * 5)), i);
                log.await(ticket);
                ends.add(ticket);
                writes.add("key" + i + "=" + "x".repeat(i * 5) + "@" + i);
            }
        }
        byte[] whole = device.bytes();
        assertThat(ends.get(5)).isEqualTo(whole.length);
        for (int length = 0; length <= whole.length; length++) {
            int cut = length;
            List<String> acknowledged = writes.subList(
                    0, (int) ends.stream().filter(end -> end <= cut).count());
            MemoryDevice left = MemoryDevice.holding(Arrays.copyOf(whole, cut));
            try (ObjectLog log = log(left, true)) {
                assertThat(replayed(log)).as("cut at %d", cut).isEqualTo(acknowledged);
                log.await(log.append(bytes("more"), bytes("after"), 99));
            }
            List<String> withMore = new ArrayList<>(acknowledged);
            withMore.add("more=after@99");
            assertThat(replayed(log(MemoryDevice.holding(left.bytes()), true)))
                    .as("written after a cut at %d", cut)
                    .isEqualTo(withMore);
        }
    }

    @Test
    void anyFlippedBitIsDetected() throws IOException {
        MemoryDevice device = new MemoryDevice();
        List<String> writes = new ArrayList<>();
        try (ObjectLog log = log(device, false)) {
            for (int i = 0; i < 3; i++) {
                log.await(log.append(bytes("key" + i), bytes("value" + i), i));
                writes.add("key" + i + "=value" + i + "@" + i);
            }
        }
        byte[] whole = device.bytes();
        int record = (whole.length - HEADER_BYTES) / 3;
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            MemoryDevice damaged = MemoryDevice.holding(flipped);
            if (bit / 8 < HEADER_BYTES) {
                assertThatThrownBy(() -> log(damaged, true))
                        .as("bit %d", bit)
                        .isInstanceOf(TransferException.class)
                        .extracting(failure ->
                                ((TransferException) failure).failure().remedy())
                        .asString()
                        .contains("--keep");
            } else {
                int before = (bit / 8 - HEADER_BYTES) / record;
                assertThat(replayed(log(damaged, true))).as("bit %d", bit).isEqualTo(writes.subList(0, before));
            }
        }
    }

    @Test
    void powerCutLosesNoAcknowledgedWriteAndInventsNone() throws IOException {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            MemoryDevice device = new MemoryDevice();
            List<String> writes = new ArrayList<>();
            int acknowledged = 0;
            ObjectLog log = log(device, false);
            int count = random.nextInt(20);
            for (int i = 0; i < count; i++) {
                String value = "x".repeat(random.nextInt(2000));
                long ticket = log.append(bytes("key" + i % 3), bytes(value), i);
                writes.add("key" + i % 3 + "=" + value + "@" + i);
                if (random.nextInt(3) == 0) {
                    log.await(ticket);
                    acknowledged = writes.size();
                }
            }
            // The records appended since then are written to the disk, but never flushed.
            device.failing = true;
            if (acknowledged < writes.size()) {
                long ticket = log.append(bytes("last"), bytes("one"), 7);
                writes.add("last=one@7");
                assertThatThrownBy(() -> log.await(ticket)).isInstanceOf(TransferException.class);
            }
            List<String> left = replayed(log(MemoryDevice.holding(device.afterPowerCut(random)), true));
            assertThat(left.size()).as("seed %d", seed).isBetween(acknowledged, writes.size());
            assertThat(left).as("seed %d", seed).isEqualTo(writes.subList(0, left.size()));
        }
    }

    @Test
    void waitingWritersShareOneFlush() throws Exception {
        int writers = 16;
        MemoryDevice device = new MemoryDevice();
        ObjectLog log = log(device, false);
        CountDownLatch firstFlushes = new CountDownLatch(1);
        CountDownLatch othersAppended = new CountDownLatch(writers);
        device.flushes.set(0);
        device.beforeFlush = () -> {
            firstFlushes.countDown();
            try {
                assertThat(othersAppended.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        ExecutorService pool = Executors.newFixedThreadPool(writers + 1);
        try {
            List<Future<?>> waiting = new ArrayList<>();
            waiting.add(pool.submit(() -> log.await(log.append(bytes("first"), bytes(""), 0))));
            assertThat(firstFlushes.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            for (int i = 0; i < writers; i++) {
                int version = i;
                waiting.add(pool.submit(() -> {
                    long ticket = log.append(bytes("key" + version), bytes("v"), version);
                    othersAppended.countDown();
                    log.await(ticket);
                }));
            }
            for (Future<?> each : waiting) {
                each.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(log.records()).isEqualTo(writers + 1);
        assertThat(device.flushes).hasValue(2);
        assertThat(log.groups()).isEqualTo(2);
        assertThat(replayed(log(MemoryDevice.holding(device.bytes()), true))).hasSize(writers + 1);
    }

    /** Its lock would keep every later test out until this process ends. */
    @Test
    void interruptedCloseDuringAFlushClosesTheDevice() throws Exception {
        MemoryDevice device = new MemoryDevice();
        ObjectLog log = log(device, false);
        CountDownLatch flushes = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        device.beforeFlush = () -> {
            flushes.countDown();
            try {
                assertThat(goOn.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        long ticket = log.append(bytes("key"), bytes("value"), 1);
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            Future<?> writer = pool.submit(() -> log.await(ticket));
            assertThat(flushes.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            Thread.currentThread().interrupt();
            assertThatThrownBy(log::close).isInstanceOf(TransferException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(device.closed).isTrue();
            goOn.countDown();
            assertThatThrownBy(() -> log.append(bytes("key"), bytes("value"), 2))
                    .hasMessageContaining("the log of objects is closed");
            writer.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException endedByTheClose) {
            assertThat(endedByTheClose).hasCauseInstanceOf(TransferException.class);
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void writesFailAfterADiskError() throws IOException {
        MemoryDevice device = new MemoryDevice();
        ObjectLog log = log(device, false);
        long ticket = log.append(bytes("key"), bytes("value"), 1);
        device.failing = true;
        assertThatThrownBy(() -> log.await(ticket))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.TARGET))
                .hasMessageContaining("Input/output error");
        device.failing = false;
        assertThatThrownBy(() -> log.await(ticket)).isInstanceOf(TransferException.class);
        assertThatThrownBy(() -> log.append(bytes("key"), bytes("value"), 2)).isInstanceOf(TransferException.class);
    }

    @Test
    void refusesWritesBeyondTheSizeLimit() throws IOException {
        MemoryDevice device = new MemoryDevice();
        ObjectLog log = new ObjectLog(device, false, HEADER_BYTES + 2 * (36 + 3 + 10), GROUP_BYTES);
        log.append(bytes("key"), ByteBuffer.allocate(10), 1);
        long last = log.append(bytes("key"), ByteBuffer.allocate(10), 2);
        assertThatThrownBy(() -> log.append(bytes("key"), ByteBuffer.allocate(0), 3))
                .isInstanceOf(TransferException.class)
                .extracting(failure -> ((TransferException) failure).failure().remedy())
                .asString()
                .contains("--nettest-log-size");
        log.await(last);
        assertThat(device.bytes()).hasSize(HEADER_BYTES + 2 * (36 + 3 + 10));
    }

    @Test
    void logIsExclusiveAndReadableByItsOwnerOnly() throws IOException {
        try (ObjectLog log = ObjectLog.open(directory, false, BOUND)) {
            log.await(log.append(bytes("key"), bytes("value"), 1));
            assertThatThrownBy(() -> ObjectLog.open(directory, false, BOUND))
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("another network test");
        }
        Path file = directory.resolve("objects.log");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        try (ObjectLog anew = ObjectLog.open(directory, false, BOUND)) {
            assertThat(replayed(anew)).isEmpty();
        }
        assertThat(Files.size(file)).isEqualTo(HEADER_BYTES);
    }

    @Test
    void linkInPlaceOfTheLogIsNotFollowed() throws IOException {
        Path precious = Files.writeString(directory.resolve("precious"), "x".repeat(100));
        Files.createSymbolicLink(directory.resolve("objects.log"), precious);
        assertThatThrownBy(() -> ObjectLog.open(directory, false, BOUND)).isInstanceOf(TransferException.class);
        assertThat(precious).hasSize(100);
    }
}
