package io.fdt.core.nettest.objects;

import io.fdt.core.FailureKind;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.PlanValue;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.objects.ObjectLog;
import io.fdt.core.objects.ObjectRoom;
import io.fdt.core.objects.ObjectStore;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.ObjectsPart;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server of a test of objects: stores them, and has filled its store before the first lane joins. Lanes share the
 * store; everything else is for the session's thread.
 */
public final class ObjectsServer implements SuiteSide {
    /** The version of the objects that the server creates. */
    private static final long FIRST_VERSION = 0;

    private final OpenNettest request;
    private final ObjectsHost host;
    private final ObjectStore store;
    private final @Nullable ObjectLog log;
    private final ObjectGrants grants;
    private final long reservedBytes;
    private long held;
    private long kept;
    private boolean closed;

    private ObjectsServer(
            OpenNettest request, ObjectsHost host, ObjectStore store, @Nullable ObjectLog log, long reservedBytes) {
        this.request = request;
        this.host = host;
        this.store = store;
        this.log = log;
        this.grants = new ObjectGrants(store.memory());
        this.reservedBytes = reservedBytes;
    }

    public static boolean isSound(OpenNettest request) {
        int[] sizes = request.sizes();
        boolean rising = sizes.length > 0;
        for (int i = 0; i < sizes.length; i++) {
            rising &= sizes[i] > (i == 0 ? 0 : sizes[i - 1]) && sizes[i] <= PlanValue.MAX_VALUE_BYTES;
        }
        return rising
                && sizes.length <= PlanValue.MAX_SIZES
                && request.requestBytes() >= PlanValue.KEY_BYTES.least()
                && request.requestBytes() <= PlanValue.KEY_BYTES.most()
                && request.messages() <= PlanValue.OBJECTS.most()
                && request.lanesIn() == 0
                && request.objects() != null;
    }

    public static ObjectsServer open(OpenNettest request, ObjectsHost host) {
        ObjectsPart part = request.objects();
        boolean logged = part != null && part.logged();
        List<ObjectRoom> rooms = new ArrayList<>();
        for (int size : request.sizes()) {
            rooms.add(new ObjectRoom(size, NettestPlan.objectsOf(size, request.messages())));
        }
        long bytes = ObjectStore.memoryBytes(rooms, request.requestBytes()) + (logged ? ObjectLog.MEMORY_BYTES : 0);
        host.reserve(bytes);
        ObjectLog log = null;
        ObjectsServer filled = null;
        try {
            log = logged ? host.openLog(part != null && part.keep()) : null;
            ObjectStore store = new ObjectStore(rooms, request.requestBytes(), log);
            ObjectsServer made = new ObjectsServer(request, host, store, log, bytes);
            made.fill();
            filled = made;
            return made;
        } finally {
            // Also after an error: otherwise the log's lock would prevent all later tests.
            if (filled == null) {
                host.release(bytes);
                if (log != null) {
                    log.close();
                }
            }
        }
    }

    private void fill() {
        int keyBytes = request.requestBytes();
        ByteBuffer key = ByteBuffer.allocateDirect(keyBytes);
        ByteBuffer value = ByteBuffer.allocateDirect(ObjectFrame.mostBytes(0, largestBytes()));
        store.recover((foundKey, foundValue, version) -> isOurs(foundKey, foundValue, version, key));
        long last = 0;
        for (int size : request.sizes()) {
            int objects = NettestPlan.objectsOf(size, request.messages());
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
        if (foundKey.remaining() != expected.capacity() || Arrays.binarySearch(request.sizes(), size) < 0) {
            return false;
        }
        int number = foundKey.getInt(foundKey.position() + Integer.BYTES);
        if (number < 0 || number >= NettestPlan.objectsOf(size, request.messages())) {
            return false;
        }
        ObjectContent.putKey(expected, 0, expected.capacity(), size, number);
        if (!foundKey.equals(expected.clear())) {
            return false;
        }
        if (!ObjectContent.isWholeValue(foundValue, foundValue.position(), size, number, version)) {
            throw FailureKind.INTEGRITY.failure(
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
        return Arrays.binarySearch(request.sizes(), size) < 0 ? 0 : NettestPlan.objectsOf(size, request.messages());
    }

    int keyBytes() {
        return request.requestBytes();
    }

    int largestBytes() {
        return request.sizes()[request.sizes().length - 1];
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
                // Before the memory counts as free: until then a peer may read it.
                grants.close();
            } finally {
                closeStore();
            }
        }
    }

    private void closeStore() {
        try {
            store.close();
        } finally {
            host.release(reservedBytes);
        }
    }
}
