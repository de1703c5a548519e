package io.fdt.core.faults;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Tells another process with the {@link FaultLibrary} which of its calls fails, by a file that both map. Orders
 * change while the process has nothing to do.
 */
public final class FaultOrders {
    private static final int PATH_BYTES = 4096 + 256;
    private static final int CALL_BYTES = PATH_BYTES + 32;

    /** The fields of {@code struct orders} in {@code faults.c}. */
    private static final int LISTENING = 0;

    private static final int AT = 4;
    private static final int ERROR = 8;
    private static final int MET = 12;
    private static final int FIRED = 16;
    private static final int PLACE = 20;
    private static final int CALL = PLACE + PATH_BYTES;
    private static final int BYTES = CALL + CALL_BYTES;

    private final Path file;
    private final MappedByteBuffer orders;

    /** @param place the directory whose files are concerned */
    public FaultOrders(Path file, Path place) throws IOException {
        this.file = file;
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            orders = made.getChannel().map(MapMode.READ_WRITE, 0, BYTES);
        }
        orders.order(ByteOrder.nativeOrder());
        put(PLACE, PATH_BYTES, place.toString());
    }

    /** The environment of the process. */
    public Map<String, String> environment(FaultLibrary library) {
        Map<String, String> all = new HashMap<>(library.environment());
        all.put("FAULT_ORDERS", file.toString());
        return all;
    }

    /**
     * Makes every one of these calls fail.
     *
     * @param call its name and the path below the place, which may be a pattern: {@code rename t/*}
     */
    public void fail(String call, int errno) {
        order(call, errno, -1);
    }

    /** Makes only the next of these calls fail. */
    public void failOnce(String call, int errno) {
        order(call, errno, 1);
    }

    private void order(String call, int errno, int at) {
        put(CALL, CALL_BYTES, call);
        orders.putInt(ERROR, errno);
        orders.putInt(MET, 0);
        orders.putInt(FIRED, 0);
        orders.putInt(AT, at);
        orders.putInt(LISTENING, 1);
    }

    /** Makes no more calls fail. Returns whether one has failed. */
    public boolean end() {
        orders.putInt(LISTENING, 0);
        return orders.getInt(FIRED) != 0;
    }

    private void put(int at, int room, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        orders.put(at, ByteBuffer.allocate(room).put(bytes).array());
    }
}
