package io.fdt.core.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ObjectStoreTest {
    private static final int KEY_BYTES = 30;
    private static final int GROUP_BYTES = 64 << 10;

    private static ObjectStore store(@Nullable ObjectLog log, ObjectRoom... rooms) {
        return new ObjectStore(List.of(rooms), KEY_BYTES, log);
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private static ByteBuffer key(String text) {
        return direct(text.getBytes(StandardCharsets.UTF_8));
    }

    private record Held(byte[] value, long version) {}

    private static void expect(ObjectStore store, String key, @Nullable Held held, Object context) {
        ByteBuffer into = ByteBuffer.allocateDirect(2048);
        long version = store.read(key(key), into);
        if (held == null) {
            assertThat(version).as("%s", context).isEqualTo(ObjectStore.ABSENT);
            assertThat(into.position()).isZero();
        } else {
            byte[] found = new byte[into.flip().remaining()];
            into.get(found);
            assertThat(version).as("%s", context).isEqualTo(held.version);
            assertThat(found).as("%s", context).isEqualTo(held.value);
        }
    }

    /**
     * Goal: the store behaves like a map. Method: random reads and writes with values that change their size, compared
     * with a map, through a log. At the end, and after recovery from that log, every object is compared.
     */
    @Test
    void randomOperationsAgreeWithAMapBeforeAndAfterRecovery() throws IOException {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        ObjectRoom[] rooms = {new ObjectRoom(16, 300), new ObjectRoom(100, 300), new ObjectRoom(1000, 300)};
        MemoryDevice device = new MemoryDevice();
        Map<String, Held> oracle = new HashMap<>();
        try (ObjectStore store = store(new ObjectLog(device, false, 1 << 26, GROUP_BYTES), rooms)) {
            long last = 0;
            for (int i = 0; i < 30_000; i++) {
                String key = "k" + "y".repeat(random.nextInt(3) * 7) + random.nextInt(100);
                if (random.nextBoolean()) {
                    byte[] value = new byte[random.nextInt(1001)];
                    random.nextBytes(value);
                    long version = random.nextLong() >>> 1;
                    last = store.write(key(key), direct(value), version);
                    oracle.put(key, new Held(value, version));
                } else {
                    expect(store, key, oracle.get(key), seed);
                }
            }
            store.await(last);
            oracle.forEach((key, held) -> expect(store, key, held, seed));
        }
        try (ObjectStore again =
                store(new ObjectLog(MemoryDevice.holding(device.bytes()), true, 1 << 26, GROUP_BYTES), rooms)) {
            again.recover((key, value, version) -> true);
            oracle.forEach((key, held) -> expect(again, key, held, seed));
            expect(again, "never written", null, seed);
        }
    }

    @Test
    void fillsToItsLastObjectAndRefusesOneMore() {
        ObjectStore store = store(null, new ObjectRoom(8, 5000));
        for (int i = 0; i < 5000; i++) {
            store.write(key("object" + i), direct(new byte[8]), i);
        }
        assertThatThrownBy(() -> store.write(key("one more"), direct(new byte[8]), 0))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        e -> assertThat(e.is(Cause.LIMIT)).isTrue());
        for (int i = 0; i < 5000; i++) {
            expect(store, "object" + i, new Held(new byte[8], i), i);
        }
        store.write(key("object7"), direct(new byte[8]), 77);
        expect(store, "object7", new Held(new byte[8], 77), "in the place of the old one");
        expect(store, "one more", null, "refused");
    }

    @Test
    void reusesSlotsOfResizedObjects() {
        ObjectStore store = store(null, new ObjectRoom(8, 1), new ObjectRoom(16, 1));
        for (int i = 0; i < 100; i++) {
            byte[] value = new byte[i % 2 == 0 ? 8 : 16];
            store.write(key("object"), direct(value), i);
            expect(store, "object", new Held(value, i), i);
        }
    }

    @Test
    void valueThatIsTooLongIsRefused() {
        ObjectStore store = store(null, new ObjectRoom(8, 10));
        assertThatThrownBy(() -> store.write(key("key"), direct(new byte[9]), 0))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("up to 8");
    }

    @Test
    void writeRefusedByTheLogChangesNothing() throws IOException {
        ObjectStore store =
                store(new ObjectLog(new MemoryDevice(), false, 64 + 36 + 3 + 8, GROUP_BYTES), new ObjectRoom(8, 2));
        store.write(key("old"), direct(new byte[8]), 1);
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> store.write(key("old"), direct(new byte[7]), 2))
                    .isInstanceOf(TransferException.class);
            assertThatThrownBy(() -> store.write(key("new"), direct(new byte[7]), 2))
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("limit");
        }
        expect(store, "old", new Held(new byte[8], 1), "as before");
        expect(store, "new", null, "not taken");
    }

    /** Goal: readers see whole values. Method: every byte of a value identifies the write that it belongs to. */
    @Test
    void readersSeeWholeValuesWhileOthersWriteThem() throws Exception {
        ObjectStore store = store(null, new ObjectRoom(100, 4), new ObjectRoom(5000, 4));
        int objects = 4;
        for (int i = 0; i < objects; i++) {
            store.write(key("object" + i), direct(new byte[100]), 0);
        }
        AtomicLong reads = new AtomicLong();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int writer = 0; writer < 2; writer++) {
                int each = writer;
                running.add(pool.submit(() -> {
                    // Each writer has its own objects, so that there is always room for one that changes its size.
                    for (int i = 1; i < 20_000; i++) {
                        byte[] value = new byte[i % 3 == 0 ? 100 : 5000];
                        Arrays.fill(value, (byte) i);
                        store.write(key("object" + (each * 2 + i % 2)), direct(value), i & 0xFF);
                    }
                }));
            }
            for (int reader = 0; reader < 2; reader++) {
                running.add(pool.submit(() -> {
                    ByteBuffer into = ByteBuffer.allocateDirect(5000);
                    for (int i = 0; i < 20_000; i++) {
                        into.clear();
                        long version = store.read(
                                key("object" + ThreadLocalRandom.current().nextInt(objects)), into);
                        into.flip();
                        assertThat(into.remaining()).isIn(100, 5000);
                        while (into.hasRemaining()) {
                            if (into.get() != (byte) version) {
                                throw new AssertionError("a value of two writes");
                            }
                        }
                        reads.incrementAndGet();
                    }
                }));
            }
            for (Future<?> each : running) {
                each.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(reads).hasValue(40_000);
    }

    @Test
    void predictsItsMemory() {
        List<ObjectRoom> rooms = List.of(new ObjectRoom(100, 10_000), new ObjectRoom(1000, 10_000));
        long slots = 10_000L * (16 + 32 + 104) + 10_000L * (16 + 32 + 1000);
        long entries = 64 * 1024 * 8;
        assertThat(ObjectStore.memoryBytes(rooms, KEY_BYTES)).isEqualTo(slots + entries);
    }
}
