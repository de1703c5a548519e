package io.fdt.core.host;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the settings that {@code ethtool -g}, {@code ethtool -k} and {@code ip -d link} show, on the running host, by
 * {@code ioctl(SIOCETHTOOL)} on a socket and {@link LinkSizes}. It changes nothing and needs no privileges. For one
 * thread.
 */
final class EthtoolCalls {
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 02000000;
    private static final long SIOCETHTOOL = 0x8946;
    private static final int GET_RINGS = 0x10;
    private static final int GET_FLAGS = 0x25;
    private static final int COUNT_STEERING_RULES = 0x2e;
    private static final int NTUPLE_FLAG = 1 << 27;
    private static final Map<String, Integer> GET_OFFLOADS = Map.of(
            "rx-checksumming", 0x14,
            "tx-checksumming", 0x16,
            "scatter-gather", 0x18,
            "tcp-segmentation-offload", 0x1e,
            "generic-segmentation-offload", 0x23,
            "generic-receive-offload", 0x2b);

    /** {@code struct ifreq}: a name of 16 bytes including its NUL, then a pointer. */
    private static final int NAME_BYTES = 16;

    private static final int DATA = 40;
    private static final int SCRATCH_BYTES = DATA + 256;

    private final ByteBuffer scratch = ByteBuffer.allocateDirect(SCRATCH_BYTES).order(ByteOrder.nativeOrder());
    private final long address = Libc.addressOf(scratch);
    private final LinkSizes sizes = new LinkSizes();

    /** Returns null if the settings cannot be read. */
    @Nullable NicSettings of(String nic) {
        byte[] name = nic.getBytes(StandardCharsets.ISO_8859_1);
        int fd = name.length < NAME_BYTES ? Libc.socket(AF_INET, SOCK_DGRAM_CLOEXEC, 0) : -1;
        if (fd < 0) {
            return null;
        }
        try {
            return query(fd, nic, name);
        } finally {
            Libc.close(fd);
        }
    }

    private @Nullable NicSettings query(int fd, String nic, byte[] name) {
        SortedMap<String, Boolean> offloads = new TreeMap<>();
        GET_OFFLOADS.forEach((label, command) -> {
            if (call(fd, name, command)) {
                offloads.put(label, scratch.getInt(DATA + 4) != 0);
            }
        });
        // A NIC that cannot steer streams by rules refuses to count them.
        if (call(fd, name, COUNT_STEERING_RULES) && call(fd, name, GET_FLAGS)) {
            offloads.put("ntuple-filters", (scratch.getInt(DATA + 4) & NTUPLE_FLAG) != 0);
        }
        NicSettings.Rings rings = NicSettings.Rings.UNKNOWN;
        if (call(fd, name, GET_RINGS)) {
            // struct ethtool_ringparam: cmd, rx_max, rx_mini_max, rx_jumbo_max, tx_max, rx, rx_mini, rx_jumbo, tx
            rings = new NicSettings.Rings(
                    scratch.getInt(DATA + 20),
                    scratch.getInt(DATA + 4),
                    scratch.getInt(DATA + 32),
                    scratch.getInt(DATA + 16));
        }
        SortedMap<String, Long> packetBytes = sizes.of(nic);
        boolean nothing = rings.equals(NicSettings.Rings.UNKNOWN) && offloads.isEmpty() && packetBytes.isEmpty();
        return nothing ? null : new NicSettings(rings, offloads, packetBytes);
    }

    private boolean call(int fd, byte[] name, int command) {
        for (int i = 0; i < SCRATCH_BYTES; i++) {
            scratch.put(i, (byte) 0);
        }
        scratch.put(0, name);
        scratch.putLong(NAME_BYTES, address + DATA);
        scratch.putInt(DATA, command);
        return Libc.ioctl(fd, SIOCETHTOOL, address) == 0;
    }
}
