package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The suites of network tests, and what of a report depends on them. */
enum Suite {
    THROUGHPUT {
        @Override
        List<Plot> plots(List<Measurement> measurements) {
            return ThroughputPlots.of(measurements);
        }
    },
    SWEEP {
        @Override
        String circumstances(Fields point) {
            return words(point.text("mode"), point.text("protocol"));
        }

        @Override
        List<Plot> plots(List<Measurement> measurements) {
            return SizePlots.ofSweep(measurements);
        }
    },
    LATENCY {
        @Override
        List<Plot> plots(List<Measurement> measurements) {
            return LatencyPlots.of(measurements);
        }
    },
    RPC {
        @Override
        String circumstances(Fields point) {
            return words(several(point, "concurrent"), several(point, "servers"));
        }

        @Override
        List<Plot> plots(List<Measurement> measurements) {
            return SizePlots.ofRequests(measurements, "RPC");
        }
    },
    OBJECTS {
        @Override
        String circumstances(Fields point) {
            return words(point.text("op"), reads(point), point.text("durable"), several(point, "concurrent"));
        }

        @Override
        List<Plot> plots(List<Measurement> measurements) {
            return SizePlots.ofRequests(measurements, "Objects");
        }
    },
    LOAD {
        @Override
        String circumstances(Fields point) {
            return words(pool(point, "rx_buffers", "rx"), pool(point, "tx_buffers", "tx"));
        }

        @Override
        List<Plot> plots(List<Measurement> measurements) {
            return LoadPlots.of(measurements);
        }
    };

    /** What tells points of one curve from those of another, in the words of the legend; empty when nothing does. */
    String circumstances(Fields point) {
        return "";
    }

    abstract List<Plot> plots(List<Measurement> measurements);

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static @Nullable Suite of(String word) {
        for (Suite suite : values()) {
            if (suite.word().equals(word)) {
                return suite;
            }
        }
        return null;
    }

    /** One is what everybody expects, so it is not worth a word. */
    private static String several(Fields point, String field) {
        double count = point.number(field);
        return count > 1 ? Numbers.exact(count) + " " + field : "";
    }

    /** Reads by messages are what is usual, and all that older results have. */
    private static String reads(Fields point) {
        return point.text("reads").equals("rdma") ? "by RDMA" : "";
    }

    private static String pool(Fields point, String field, String word) {
        String count = point.text(field);
        return count.isEmpty() ? "" : count + " " + word;
    }

    private static String words(String... words) {
        List<String> some = new ArrayList<>();
        for (String word : words) {
            if (!word.isEmpty()) {
                some.add(word);
            }
        }
        return String.join(", ", some);
    }
}
