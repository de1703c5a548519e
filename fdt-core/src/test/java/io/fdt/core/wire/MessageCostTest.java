package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What a message takes of the heap, beside what is charged for it before it is decoded. Of every type of message, each
 * list is filled with as many of the smallest elements as its bounds permit: nothing takes more heap for a byte.
 */
final class MessageCostTest {
    private static final int[] LENGTHS = {60_000, 20_000, 4_000, 1_000, 250, 60};
    private static final int COPIES = 4;
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    /** The heap of everything else in the process changes by less than this between two measurements. */
    private static final long NOISE_BYTES = 2 << 20;

    @Test
    void examplesCoverEveryMessageType() {
        assertThat(ControlMessages.everyMessage().map(Object::getClass).collect(Collectors.toSet()))
                .containsExactlyInAnyOrderElementsOf(ControlCodec.types());
    }

    @Test
    void noMessageTakesMoreHeapThanIsChargedBeforeItIsDecoded() throws IOException {
        int filled = 0;
        for (ControlMessage example : ControlMessages.everyMessage().toList()) {
            byte[] bytes = ControlCodec.encode(example);
            assertThat(ControlCodec.typeOf(bytes, "peer")).isEqualTo(example.getClass());
            int lists = countLists(CborReader.read(bytes));
            for (int list = 0; list < lists; list++) {
                byte[] dense = densest(bytes, list);
                if (dense != null) {
                    filled++;
                    assertCharged(example, dense);
                }
            }
        }
        assertThat(filled).isGreaterThan(20);
    }

    private static void assertCharged(ControlMessage example, byte[] dense) throws IOException {
        long charged = ControlCodec.heapBytes(dense, "peer");
        if (allocatedBy(dense) <= charged) {
            // Then no more than that remains, and the heap need not be measured.
            return;
        }
        List<Object> kept = new ArrayList<>();
        long before = usedHeap();
        for (int i = 0; i < COPIES; i++) {
            // While it is decoded, there are the plain values and the message.
            kept.add(CborReader.read(dense));
            kept.add(ControlCodec.decode(dense, "peer"));
        }
        long each = (usedHeap() - before - NOISE_BYTES) / COPIES;
        assertThat(kept).hasSize(2 * COPIES);
        assertThat(each)
                .as("heap of %s with %d bytes", example.getClass().getSimpleName(), dense.length)
                .isLessThanOrEqualTo(charged);
    }

    private static long allocatedBy(byte[] dense) throws IOException {
        long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        CborReader.read(dense);
        ControlCodec.decode(dense, "peer");
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** Returns the message with this list as long as it may be; null if it must not be longer than it is. */
    private static byte @Nullable [] densest(byte[] bytes, int list) throws IOException {
        for (int length : LENGTHS) {
            Object grown = grow(CborReader.read(bytes), new int[] {list}, length);
            CborWriter cbor = new CborWriter();
            write(cbor, grown);
            byte[] dense = cbor.written();
            try {
                ControlCodec.decode(dense, "peer");
                return dense;
            } catch (TransferException outOfBounds) {
                // Perhaps a shorter list is within them.
            }
        }
        return null;
    }

    private static int countLists(@Nullable Object value) {
        int count = 0;
        if (value instanceof List<?> list) {
            count = 1 + (list.isEmpty() ? 0 : countLists(list.get(0)));
        } else if (value instanceof Map<?, ?> map) {
            for (Object each : map.values()) {
                count += countLists(each);
            }
        }
        return count;
    }

    /** @param which is counted down to the list that grows */
    private static @Nullable Object grow(@Nullable Object value, int[] which, int length) {
        if (value instanceof List<?> list) {
            boolean here = which[0]-- == 0;
            if (list.isEmpty()) {
                return here ? Collections.nCopies(length, new byte[] {'a'}) : list;
            }
            if (here) {
                return Collections.nCopies(length, smallest(list.get(0)));
            }
            List<@Nullable Object> grown = new ArrayList<>(list);
            grown.set(0, grow(list.get(0), which, length));
            return grown;
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, @Nullable Object> grown = new LinkedHashMap<>();
            map.forEach((name, each) -> grown.put(name, grow(each, which, length)));
            return grown;
        }
        return value;
    }

    private static @Nullable Object smallest(@Nullable Object element) {
        return element instanceof byte[] bytes && bytes.length > 0 ? new byte[] {'a'} : element;
    }

    private static void write(CborWriter cbor, @Nullable Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            cbor.startMap();
            // The code is first.
            cbor.name("t");
            write(cbor, map.get("t"));
            for (Map.Entry<?, ?> each : map.entrySet()) {
                if (!"t".equals(each.getKey())) {
                    cbor.name(String.valueOf(each.getKey()));
                    write(cbor, each.getValue());
                }
            }
            cbor.end();
        } else if (value instanceof List<?> list) {
            cbor.startArray();
            for (Object each : list) {
                write(cbor, each);
            }
            cbor.end();
        } else if (value instanceof Long number) {
            cbor.number(number);
        } else if (value instanceof Boolean flag) {
            cbor.flag(flag);
        } else if (value instanceof String text) {
            cbor.text(text);
        } else if (value instanceof byte[] bytes) {
            cbor.bytes(bytes);
        } else {
            cbor.none();
        }
    }
}
