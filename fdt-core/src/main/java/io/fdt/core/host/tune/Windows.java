package io.fdt.core.host.tune;

import io.fdt.core.host.Host;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

/**
 * The buffers that a path asks for. What is under way at once is rate times round-trip time; the lanes share it. A
 * receive buffer of Linux offers a half of itself as window ({@code tcp_adv_win_scale} 1), and a sender keeps what is
 * not yet acknowledged and what is yet to go, so a lane's buffer has to be twice its share.
 */
record Windows(long rateBitsPerSecond, long rttNanos, int lanes) {
    /** The scale of TCP's window field ends here. */
    private static final long MAX_BUFFER_BYTES = 1L << 30;

    private static final int BITS_PER_BYTE = 8;

    long productBytes() {
        return (long) (rateBitsPerSecond / (double) BITS_PER_BYTE * rttNanos / 1e9);
    }

    /** Of one lane, rounded up to whole MiB. */
    long bufferBytes() {
        long bytes = 2 * productBytes() / lanes;
        return Math.min(MAX_BUFFER_BYTES, (bytes + (1 << 20) - 1) >> 20 << 20);
    }

    /** {@code 40 Gb/s x 100 ms = 500.0 MB in flight, 31.3 MB for each of 16 lanes, twice that as buffer: 60 MiB}. */
    String arithmetic() {
        return String.format(
                Locale.ROOT,
                "%s Gb/s x %s ms = %.1f MB in flight, %.1f MB for each of %d lanes, twice that as buffer: %d MiB",
                thousandths(rateBitsPerSecond, 6),
                thousandths(rttNanos, 3),
                productBytes() / 1e6,
                productBytes() / 1e6 / lanes,
                lanes,
                bufferBytes() >> 20);
    }

    /** A number, given in 10 to the minus (power + 3) of its unit, to three places at most. */
    private static String thousandths(long value, int power) {
        return BigDecimal.valueOf(value, power + 3)
                .setScale(3, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString();
    }

    /** The rate that the largest buffers of this kind allow all lanes together. */
    double reachableBitsPerSecond(long maxBufferBytes) {
        return rttNanos == 0 ? 0 : maxBufferBytes / 2.0 * lanes * BITS_PER_BYTE / (rttNanos / 1e9);
    }

    /** The last number of a sysctl, which is the largest buffer of {@code tcp_rmem}; -1 when there is none. */
    static long last(Host host, String sysctl) {
        String[] numbers = host.sysctls().getOrDefault(sysctl, "").strip().split("\\s+", -1);
        String last = numbers[numbers.length - 1];
        return last.matches("\\d{1,18}") ? Long.parseLong(last) : -1;
    }
}
