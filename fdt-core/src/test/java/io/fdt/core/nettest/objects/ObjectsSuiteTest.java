package io.fdt.core.nettest.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.Plans;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObjectsSuiteTest {
    private static final NettestPlan PLAN =
            Plans.objects(new NettestPath("host", 1, true, List.of(), 1000), 30, List.of(100, 1000), 0, 2, 1000);

    @Test
    void defaultNumberOfObjectsFitsTheDefaultMemory() {
        assertThat(ObjectsSuite.objectsOf(PLAN, 100)).isEqualTo(10_000);
        assertThat(ObjectsSuite.objectsOf(PLAN, 1_000_000)).isEqualTo(16);
        assertThat(ObjectsSuite.objectsOf(PLAN, 4 << 20)).isEqualTo(4);
    }
}
