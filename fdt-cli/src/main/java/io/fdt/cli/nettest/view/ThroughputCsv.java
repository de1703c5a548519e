package io.fdt.cli.nettest.view;

import io.fdt.core.nettest.ThroughputResult;
import io.fdt.core.nettest.ThroughputResult.Interval;
import io.fdt.core.nettest.ThroughputResult.Stream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A throughput result as one table: a row for every second, a row for every stream, and the sum, told apart by the
 * first column. Columns are public: they may become more, and keep their meaning. What TCP alone tells is empty for
 * other lanes.
 */
final class ThroughputCsv {
    private static final String HEADER =
            "row,seconds,stream,direction,bytes,bits_per_second_out,bits_per_second_in,retransmits,rtt_us,cwnd_bytes";

    private ThroughputCsv() {}

    static List<String> lines(ThroughputResult result) {
        List<String> lines = new ArrayList<>(List.of(HEADER));
        for (Interval each : result.intervals()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "interval,%.3f,,,,%.0f,%.0f,%s,%s,",
                    each.t(),
                    each.bitsPerSecondOut(),
                    each.bitsPerSecondIn(),
                    known(each.retransmits()),
                    known(each.rttUs())));
        }
        for (Stream each : result.perStream()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "stream,%.3f,%d,%s,%d,%.0f,%.0f,%s,%s,%s",
                    result.seconds(),
                    each.stream(),
                    each.out() ? "out" : "in",
                    each.bytes(),
                    each.out() ? each.bitsPerSecond() : 0,
                    each.out() ? 0 : each.bitsPerSecond(),
                    known(each.retransmits()),
                    known(each.rttUs()),
                    known(each.cwndBytes())));
        }
        lines.add(String.format(
                Locale.ROOT,
                "sum,%.3f,,,%d,%.0f,%.0f,%s,,",
                result.seconds(),
                result.bytesOut() + result.bytesIn(),
                result.bitsPerSecondOut(),
                result.bitsPerSecondIn(),
                result.perStream().stream().allMatch(Stream::hasTcp)
                        ? result.perStream().stream()
                                .mapToLong(Stream::retransmits)
                                .sum()
                        : ""));
        return lines;
    }

    /** Nothing where there is no such figure. */
    private static String known(long value) {
        return value < 0 ? "" : Long.toString(value);
    }
}
