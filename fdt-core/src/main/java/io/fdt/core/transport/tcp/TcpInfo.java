package io.fdt.core.transport.tcp;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.StreamFigures;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads the kernel's {@code struct tcp_info}. Older kernels fill a part of it; missing figures are zero. For one
 * thread.
 */
final class TcpInfo {
    private static final int BYTES = 248;
    private static final int LENGTH = BYTES;
    private static final int RETRANSMITS = 2;
    private static final int SND_MSS = 16;
    private static final int RTT = 68;
    private static final int SND_CWND = 80;
    private static final int TOTAL_RETRANS = 100;
    private static final int PACING_RATE = 104;
    private static final int BYTES_ACKED = 120;
    private static final int MIN_RTT = 148;
    private static final long UNKNOWN_RTT = 0xffff_ffffL;
    private static final int BUSY_TIME = 168;
    private static final int RWND_LIMITED = 176;
    private static final int SNDBUF_LIMITED = 184;
    private static final int SND_WND = 228;

    private final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES + 8).order(ByteOrder.nativeOrder());
    private final long address = Libc.addressOf(memory);

    /** Null if the kernel has none for this descriptor. */
    @Nullable StreamFigures read(int fd) {
        for (int at = 0; at < BYTES; at += 8) {
            memory.putLong(at, 0);
        }
        memory.putInt(LENGTH, BYTES);
        if (Sockets.tcpInfo(fd, address, address + LENGTH) < 0) {
            return null;
        }
        long pace = memory.getLong(PACING_RATE);
        long minRtt = unsigned(MIN_RTT);
        // Reading other options overwrites it.
        int timeouts = memory.get(RETRANSMITS) & 0xff;
        return new StreamFigures(
                memory.getLong(BYTES_ACKED),
                unsigned(TOTAL_RETRANS),
                timeouts,
                new StreamFigures.RoundTrip(memory.getInt(RTT), minRtt == UNKNOWN_RTT ? 0 : minRtt),
                new StreamFigures.Windows(
                        unsigned(SND_CWND) * unsigned(SND_MSS), unsigned(SND_WND), pace < 0 ? 0 : pace),
                new StreamFigures.SendTime(
                        memory.getLong(BUSY_TIME), memory.getLong(RWND_LIMITED), memory.getLong(SNDBUF_LIMITED)),
                new LanePlace(
                        Sockets.core(),
                        incomingCore(fd),
                        Math.max(0, Sockets.option(fd, Sockets.SO_INCOMING_NAPI_ID, memory))));
    }

    /** The core on which the kernel processed the last packets; -1 if it does not provide it. */
    int incomingCore(int fd) {
        return Math.max(-1, Sockets.option(fd, Sockets.SO_INCOMING_CPU, memory));
    }

    private long unsigned(int at) {
        return memory.getInt(at) & 0xffff_ffffL;
    }
}
