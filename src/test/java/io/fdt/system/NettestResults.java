package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

/** Parses the results of network tests. Used by the tests of all suites. */
final class NettestResults {
    private static final List<String> RISING =
            List.of("min_us", "p50_us", "p90_us", "p99_us", "p999_us", "p9999_us", "max_us");

    private NettestResults() {}

    static Map<String, Object> resultOf(Outcome outcome) {
        List<Map<String, Object>> results = outcome.jsonOfType("result");
        assertThat(results).as(outcome.errText()).hasSize(1);
        return results.get(0);
    }

    static double number(Map<String, Object> object, String key) {
        assertThat(object.get(key)).as(key).isInstanceOf(Number.class);
        return ((Number) object.get(key)).doubleValue();
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> objects(Map<String, Object> object, String key) {
        assertThat(object.get(key)).as(key).isInstanceOf(List.class);
        return (List<Map<String, Object>>) object.get(key);
    }

    /** Asserts that the percentiles exist and that none is smaller than the one before. */
    static void assertRising(Map<String, Object> point) {
        assertThat(RISING.stream().map(field -> number(point, field)).toList())
                .isSorted()
                .allSatisfy(us -> assertThat(us).isPositive());
    }
}
