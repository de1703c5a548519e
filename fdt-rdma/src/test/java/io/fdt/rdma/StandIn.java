package io.fdt.rdma;

import io.fdt.core.transport.DeviceQueues.Pair;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Lanes and queues on a stand-in for a device (src/test/native/standin.c). The calls of the library fail one after the
 * other. Returns what was not released. Runs in a class loader that has loaded the library with the stand-in.
 */
public final class StandIn implements Supplier<List<String>> {
    private static final byte[] GID = new byte[RdmaQueues.GID_BYTES];

    static {
        System.loadLibrary("disni");
    }

    private interface Use {
        void run() throws IOException;
    }

    private final Use use;

    /**
     * @param what the scenario, as {@link GivenBackTest} names it
     */
    public StandIn(String what) {
        use = switch (what) {
            case "queues" -> StandIn::queues;
            case "queues closed twice" -> StandIn::queuesClosedTwice;
            case "lane" -> () -> lane(RdmaSettings.DEFAULT);
            case "lane on small pages" ->
                () -> lane(RdmaSettings.DEFAULT
                        .withBlocks(2, 2, 1)
                        .withCompletions(RdmaSettings.Completions.EVENT, 0)
                        .withHugePages(false)
                        .withNotice(RdmaSettings.Notice.BY_MESSAGE));
            default -> throw new IllegalArgumentException(what);
        };
    }

    private static native void begin(int failingCall);

    private static native int calls();

    private static native int mistakes();

    private static native boolean heldOn();

    private static native int left(boolean mappings);

    private static native long resolved(long context);

    /** Creates and closes everything that queues consist of. */
    private static void queues() {
        try (RdmaQueues queues = new RdmaQueues("standin0", GID, 0)) {
            queues.memory(100_000, true);
            queues.memory(ByteBuffer.allocateDirect(100), false);
            queues.pair(QueueKind.RELIABLE, 4, 4, 64);
            Pair pair = queues.pair(QueueKind.DATAGRAM, 4, 4, 0);
            pair.peer(pair.address());
        }
    }

    private static void queuesClosedTwice() throws IOException {
        try (RdmaQueues queues = new RdmaQueues("standin0", GID, 0)) {
            RdmaPair pair = (RdmaPair) queues.pair(QueueKind.RELIABLE, 4, 4, 64);
            RdmaMemory memory = (RdmaMemory) queues.memory(100_000, true);
            memory.close();
            pair.close();
        }
    }

    private static void lane(RdmaSettings settings) throws IOException {
        long context = Verbs.openDevice("standin0");
        if (context == 0) {
            throw new IOException("not opened");
        }
        try {
            long id = resolved(context);
            QueuePair pair;
            try {
                pair = new QueuePair(id, 0, settings);
            } catch (IOException refused) {
                Disni.NATIVES._destroyCmId(id);
                throw refused;
            }
            pair.close();
            pair.close();
        } finally {
            Verbs.closeDevice(context);
        }
    }

    /** Whether the run succeeds if the call with this number fails. */
    private boolean succeeds(int failingCall) {
        begin(failingCall);
        try {
            use.run();
            return true;
        } catch (IOException | UncheckedIOException refused) {
            return false;
        }
    }

    @Override
    public List<String> get() {
        List<String> wrong = new ArrayList<>();
        if (!succeeds(0)) {
            wrong.add("it does not work at all");
        }
        int calls = calls();
        for (int failing = 0; failing <= calls; failing++) {
            succeeds(failing);
            String when = failing == 0 ? "where nothing fails: " : "where call " + failing + " fails: ";
            if (left(true) != 0) {
                wrong.add(when + left(true) + " mappings are left");
            }
            // If the device refuses to release an object, that object and those it depends on remain.
            if (left(false) != 0 && !heldOn()) {
                wrong.add(when + left(false) + " things of the device are left");
            }
            if (mistakes() != 0) {
                wrong.add(when + mistakes() + " things were given back that were not there");
            }
        }
        if (calls < 10) {
            wrong.add("only " + calls + " calls were there to fail");
        }
        return wrong;
    }
}
