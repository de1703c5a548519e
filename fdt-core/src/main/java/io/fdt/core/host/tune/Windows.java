package io.fdt.core.host.tune;

import io.fdt.core.basic.Figures;
import io.fdt.core.host.Host;
import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * The buffer sizes that a path needs. The data in flight is the rate times the round-trip time, and lanes share it.
 * Linux offers half of a receive buffer as window ({@code tcp_adv_win_scale} 1), and a sender keeps both unacknowledged
 * and unsent data, so a lane's buffer must be twice its share.
 */
record Windows(long rateBitsPerSecond, long rttNanos, int lanes) {
    /** The limit of TCP window scaling. */
    private static final long MAX_BUFFER_BYTES = 1L << 30;

    private static final int BITS_PER_BYTE = 8;

    long productBytes() {
        return (long) (rateBitsPerSecond / (double) BITS_PER_BYTE * rttNanos / 1e9);
    }

    /** Returns the size for one lane, rounded up to whole MiB. */
    long bufferBytes() {
        long bytes = 2 * productBytes() / lanes;
        return Math.min(MAX_BUFFER_BYTES, (bytes + (1 << 20) - 1) >> 20 << 20);
    }

    /** {@code 40 Gb/s x 100 ms = 500.0 MB in flight, 31.3 MB for each of 16 lanes, twice that as buffer: 60 MiB}. */
    String arithmetic() {
        return Figures.text(
                "%s Gb/s x %s ms = %.1f MB in flight, %.1f MB for each of %d lanes, twice that as buffer: %d MiB",
                thousandths(rateBitsPerSecond, 6),
                thousandths(rttNanos, 3),
                productBytes() / 1e6,
                productBytes() / 1e6 / lanes,
                lanes,
                bufferBytes() >> 20);
    }

    /** Returns {@code value} / 10^({@code power} + 3), rounded to at most three decimals. */
    private static String thousandths(long value, int power) {
        return BigDecimal.valueOf(value, power + 3)
                .setScale(3, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString();
    }

    /** Returns the total rate that all lanes can reach with buffers of this size. */
    double reachableBitsPerSecond(long maxBufferBytes) {
        return rttNanos == 0 ? 0 : maxBufferBytes / 2.0 * lanes * BITS_PER_BYTE / (rttNanos / 1e9);
    }

    /** Returns the last number of a sysctl, which is the largest buffer for {@code tcp_rmem}; -1 if there is none. */
    static long last(Host host, String sysctl) {
        String[] numbers = host.sysctls().getOrDefault(sysctl, "").strip().split("\\s+", -1);
        String last = numbers[numbers.length - 1];
        return last.matches("\\d{1,18}") ? Long.parseLong(last) : -1;
    }
}
