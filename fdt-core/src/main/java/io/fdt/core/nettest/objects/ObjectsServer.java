package io.fdt.core.nettest.objects;

import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.objects.ObjectLog;
import io.fdt.core.objects.ObjectRoom;
import io.fdt.core.objects.ObjectStore;
import io.fdt.core.transport.Lane;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server of a test of objects: stores them, and has filled its store before the first lane joins. Lanes share the
 * store; everything else is for the session's thread.
 */
final class ObjectsServer implements SuiteSide {
    private static final long FIRST_VERSION = 0;

    private final NettestPlan plan;
    private final List<Integer> sizes;
    private final int keyBytes;
    private final ObjectStore store;
    private final @Nullable ObjectLog log;
    private final ObjectGrants grants;
    private long held;
    private long kept;
    private boolean closed;

    private ObjectsServer(NettestPlan plan, ObjectStore store, @Nullable ObjectLog log) {
        this.plan = plan;
        this.sizes = plan.get(NettestValue.SIZES);
        this.keyBytes = plan.get(NettestValue.KEY_BYTES);
        this.store = store;
        this.log = log;
        this.grants = new ObjectGrants(store.memory());
    }

    /** What the objects, the log and the frames of all lanes take. */
    static long memoryBytes(NettestPlan plan) {
        int keyBytes = plan.get(NettestValue.KEY_BYTES);
        long frameBytes = LaneBytes.allocated(ObjectFrame.mostBytes(keyBytes, plan.mostBytes()));
        return ObjectStore.memoryBytes(rooms(plan), keyBytes)
                + (logged(plan) ? ObjectLog.MEMORY_BYTES : 0)
                + plan.streams() * frameBytes;
    }

    private static boolean logged(NettestPlan plan) {
        return plan.get(NettestValue.DURABLE) == Durable.LOG;
    }

    private static List<ObjectRoom> rooms(NettestPlan plan) {
        return plan.get(NettestValue.SIZES).stream()
                .map(size -> new ObjectRoom(size, ObjectsSuite.objectsOf(plan, size)))
                .toList();
    }

    static ObjectsServer open(NettestPlan plan, NettestResources resources) {
        ObjectLog log = null;
        ObjectsServer filled = null;
        try {
            log = logged(plan)
                    ? ObjectLog.open(resources.logDirectory(), plan.get(NettestValue.KEEP), resources.logBytes())
                    : null;
            ObjectStore store = new ObjectStore(rooms(plan), plan.get(NettestValue.KEY_BYTES), log);
            ObjectsServer made = new ObjectsServer(plan, store, log);
            made.fill();
            filled = made;
            return made;
        } finally {
            // Also after an error: otherwise the log's lock would prevent all later tests.
            if (filled == null && log != null) {
                log.close();
            }
        }
    }

    private void fill() {
        ByteBuffer key = ByteBuffer.allocateDirect(keyBytes);
        ByteBuffer value = ByteBuffer.allocateDirect(ObjectFrame.mostBytes(0, largestBytes()));
        store.recover((foundKey, foundValue, version) -> isOurs(foundKey, foundValue, version, key));
        long last = 0;
        for (int size : sizes) {
            int objects = ObjectsSuite.objectsOf(plan, size);
            for (int number = 0; number < objects; number++) {
                ObjectContent.putKey(key, 0, keyBytes, size, number);
                value.clear();
                held++;
                if (store.read(key.clear(), value) != ObjectStore.ABSENT) {
                    kept++;
                } else {
                    ObjectContent.putValue(value, 0, size, number, FIRST_VERSION);
                    last = store.write(key, value.clear().limit(size), FIRST_VERSION);
                }
            }
        }
        store.await(last);
    }

    /** Whether it is an object of this test, and not of another test with the same log. */
    private boolean isOurs(ByteBuffer foundKey, ByteBuffer foundValue, long version, ByteBuffer expected) {
        int size = foundValue.remaining();
        if (foundKey.remaining() != expected.capacity() || Collections.binarySearch(sizes, size) < 0) {
            return false;
        }
        int number = foundKey.getInt(foundKey.position() + Integer.BYTES);
        if (number < 0 || number >= ObjectsSuite.objectsOf(plan, size)) {
            return false;
        }
        ObjectContent.putKey(expected, 0, expected.capacity(), size, number);
        if (!foundKey.equals(expected.clear())) {
            return false;
        }
        if (!ObjectContent.isWholeValue(foundValue, foundValue.position(), size, number, version)) {
            throw Cause.INTEGRITY.failure(
                    "the log holds object " + number + " of " + size + " bytes with content that was never written");
        }
        return true;
    }

    @Override
    public MeasuredLane join(int index, Lane lane) {
        return new ObjectsServingLane(lane, this);
    }

    ObjectStore store() {
        return store;
    }

    ObjectGrants grants() {
        return grants;
    }

    /** The number of objects of this size; 0 for a size that is not part of the test. */
    int objectsOf(int size) {
        return Collections.binarySearch(sizes, size) < 0 ? 0 : ObjectsSuite.objectsOf(plan, size);
    }

    int keyBytes() {
        return keyBytes;
    }

    int largestBytes() {
        return sizes.get(sizes.size() - 1);
    }

    int frameBytes() {
        return ObjectFrame.mostBytes(keyBytes(), largestBytes());
    }

    /** Writes the answer to a request for the state. Lanes read what was written before they joined. */
    void putState(ByteBuffer into, int index) {
        into.putLong(index, held);
        into.putLong(index + 8, kept);
        into.putLong(index + 16, log == null ? 0 : log.records());
        into.putLong(index + 24, log == null ? 0 : log.groups());
    }

    @Override
    public boolean countsOperations() {
        return true;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                // Before the memory is free: until then a peer may read it.
                grants.close();
            } finally {
                store.close();
            }
        }
    }
}
