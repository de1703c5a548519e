package io.fdt.core.nettest.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.Plans;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObjectsClientTest {
    private static final NettestPlan PLAN =
            Plans.objects(new NettestPath("host", 1, true, List.of(), 1000), 30, List.of(100, 1000), 0, 2, 1000);

    private static Latencies latencies(int from, int to) {
        Latencies latencies = new Latencies();
        for (int us = from; us < to; us++) {
            latencies.record(us * 1000L);
        }
        return latencies;
    }

    @Test
    void sumsUpWhatAllLanesMeasured() {
        ObjectsClient rounds = new ObjectsClient(PLAN);
        rounds.begin();
        rounds.add(0, latencies(1, 501), 500_000_000);
        rounds.add(0, latencies(501, 1001), 800_000_000);

        List<JsonObject> points = rounds.points();

        assertThat(points).hasSize(1);
        JsonObject point = points.get(0);
        assertThat(point.count("operations")).isEqualTo(1000);
        assertThat(point.amount("per_second")).isCloseTo(1250, within(0.001));
        assertThat(point.amount("bytes_per_second")).isCloseTo(125_000, within(0.1));
        assertThat(point.amount("min_us")).isCloseTo(1, within(0.01));
        assertThat(point.amount("mean_us")).isCloseTo(500.5, within(1.0));
        assertThat(point.amount("p50_us")).isCloseTo(500, within(1.0));
        assertThat(point.amount("p90_us")).isCloseTo(900, within(1.0));
        assertThat(point.amount("p99_us")).isCloseTo(990, within(1.0));
        assertThat(point.amount("max_us")).isCloseTo(1000, within(1.0));
    }

    @Test
    void roundsFollowEachOtherAndBeginWithAWarmUp() {
        ObjectsClient rounds = new ObjectsClient(PLAN);
        rounds.begin();
        assertThat(rounds.measuredFrom(1) - rounds.end(0)).isEqualTo(200_000_000);
        assertThat(rounds.end(1) - rounds.end(0)).isEqualTo(1_000_000_000);
        assertThat(rounds.isOver()).isFalse();
    }

    @Test
    void defaultNumberOfObjectsFitsTheDefaultMemory() {
        assertThat(ObjectsSuite.objectsOf(PLAN, 100)).isEqualTo(10_000);
        assertThat(ObjectsSuite.objectsOf(PLAN, 1_000_000)).isEqualTo(16);
        assertThat(ObjectsSuite.objectsOf(PLAN, 4 << 20)).isEqualTo(4);
    }
}
