package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class RefusalLimitTest {
    @Test
    void manyRefusalsGiveFewLinesAndAreAllCounted() {
        List<String> lines = new ArrayList<>();
        AtomicInteger counted = new AtomicInteger();
        RefusalLimit limit = new RefusalLimit(new ServerObserver() {
            @Override
            public void onRefused(String peer, String why) {
                lines.add(why);
            }

            @Override
            public void onRefusal() {
                counted.incrementAndGet();
            }
        });
        for (int i = 0; i < 25; i++) {
            limit.report("10.0.0.9:" + (1000 + i), "no key");
        }
        limit.reportRest();
        assertThat(lines).hasSize(11).endsWith("15 more connections or requests");
        assertThat(counted).hasValue(25);
    }
}
