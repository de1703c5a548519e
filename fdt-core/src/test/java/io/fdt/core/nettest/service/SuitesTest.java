package io.fdt.core.nettest.service;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.TransferException;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.PlanValue;
import io.fdt.core.wire.NettestMessage.Suite;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a server looks at before it makes anything for a test. */
class SuitesTest {
    private static NettestPlan usual(Suite suite) {
        return NettestPlan.of(suite, new NettestPath("dtn2", 1, true, List.of(), 1_000));
    }

    @ParameterizedTest
    @EnumSource(Suite.class)
    void theUsualTestOfEachSuiteIsSound(Suite suite) {
        assertThatCode(() -> Suites.check(usual(suite).request())).doesNotThrowAnyException();
    }

    /** Each receiving lane has memory for one. */
    @Test
    void blocksThatNoPlanMayHaveAreRefused() {
        NettestPlan large = usual(Suite.THROUGHPUT).with(PlanValue.BLOCK_BYTES, PlanValue.BLOCK_BYTES.most() + 1);
        assertThatThrownBy(() -> Suites.check(large.request()))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("contradicts itself");
    }
}
