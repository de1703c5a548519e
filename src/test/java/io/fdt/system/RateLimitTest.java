package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rate that a user sets is the rate that flows. */
@Isolated("it measures time")
final class RateLimitTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    /** Above it no copy ever goes. Below, a busy machine may hold up its beginning, and now and then one of its seconds. */
    @ParameterizedTest
    @EnumSource
    void rateLimitHoldsWithinFivePercentOverTenSeconds(Direction direction) {
        FdtServer server = at.rootlessServer("127.0.0.1:0", at.directory());
        String source = direction == Direction.PUSH ? "/dev/zero" : server.url("/dev/zero");
        String target = direction == Direction.PUSH ? server.url("/dev/null") : "/dev/null";
        List<Double> rates = new ArrayList<>();
        do {
            Outcome outcome = at.copy("-P", 4, "--rate-limit", "400Mbit", "--duration", "10s", source, target)
                    .expectExit(0);
            assertThat(outcome.decimal("bits_per_second")).isLessThan(420e6);
            assertThat(outcome.number("bytes_sent") * 8 / outcome.decimal("seconds"))
                    .isLessThan(420e6);
            rates.add(rateOnceItFlows(outcome));
        } while (rates.size() < 3 && Collections.max(rates) < 380e6);
        assertThat(rates).anyMatch(rate -> rate > 380e6).allMatch(rate -> rate < 420e6);
    }

    /** From the first second that something came in to the last, as the lines of progress tell it. */
    private static double rateOnceItFlows(Outcome outcome) {
        List<Map<String, Object>> flowing = outcome.jsonOfType("progress").stream()
                .filter(line -> number(line, "bytes_moved") > 0)
                .toList();
        assertThat(flowing).hasSizeGreaterThan(7);
        Map<String, Object> first = flowing.get(0);
        Map<String, Object> last = flowing.get(flowing.size() - 1);
        return (number(last, "bytes_moved") - number(first, "bytes_moved"))
                * 8
                / (number(last, "seconds") - number(first, "seconds"));
    }

    private static double number(Map<String, Object> line, String field) {
        return ((Number) Objects.requireNonNull(line.get(field))).doubleValue();
    }

    @Test
    void rateLimitHoldsForFilesToo() {
        Route route = Route.of(at, Direction.PUSH);
        Trees.file(route.sourcePath("f"), 60_000_000, 1);
        Outcome outcome = at.copy("-P", 4, "--rate-limit", "20MB/s", route.source("f"), route.target(""))
                .expectExit(0);
        // Three seconds; a bucket may start full and the start of the JVM is not counted.
        assertThat(outcome.decimal("seconds")).isBetween(2.7, 30.0);
    }
}
