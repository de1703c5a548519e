package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RefusalLimitTest {
    @Test
    void manyRefusalsGiveFewLinesAndAreAllCounted() {
        List<String> lines = new ArrayList<>();
        Map<Cause, Integer> counted = new EnumMap<>(Cause.class);
        RefusalLimit limit = new RefusalLimit(new ServerObserver() {
            @Override
            public void onRefused(String peer, String why) {
                lines.add(why);
            }

            @Override
            public void onRefusal(Cause reason) {
                counted.merge(reason, 1, Integer::sum);
            }
        });
        for (int i = 0; i < 25; i++) {
            limit.report(
                    "10.0.0.9:" + (1000 + i), Failure.of(i < 20 ? Cause.UNKNOWN_KEY : Cause.UNAVAILABLE, "no key"));
        }
        limit.reportRest();
        assertThat(lines).hasSize(11).endsWith("15 more connections or requests");
        assertThat(counted).containsExactly(Map.entry(Cause.UNKNOWN_KEY, 20), Map.entry(Cause.UNAVAILABLE, 5));
    }

    @Test
    void manyAddressesShareTheLinesOfOne() {
        List<String> lines = new ArrayList<>();
        RefusalLimit limit = new RefusalLimit(new ServerObserver() {
            @Override
            public void onRefused(String peer, String why) {
                lines.add(peer + ": " + why);
            }
        });
        for (int i = 0; i < 80; i++) {
            limit.report("10.0.0." + i + ":7", Failure.of(Cause.UNKNOWN_KEY, "no key"));
        }
        assertThat(lines).hasSize(50 + 10).contains("10.0.0.49:7: no key").endsWith("10.0.0.59:7: no key");
        lines.clear();
        limit.reportRest();
        assertThat(lines).containsExactly("other addresses: 20 more connections or requests");
        lines.clear();
        limit.reportRest();
        assertThat(lines).isEmpty();
        for (int i = 0; i < 50; i++) {
            limit.report("10.0.1." + i + ":7", Failure.of(Cause.UNKNOWN_KEY, "no key"));
        }
        assertThat(lines).as("the others are forgotten").hasSize(50);
    }
}
