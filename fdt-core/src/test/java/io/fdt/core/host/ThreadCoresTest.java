package io.fdt.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.InBackground;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class ThreadCoresTest {
    @Test
    void pinsOnlyTheCallingThread() {
        CoreSet before = ThreadCores.allowed();
        assertThat(before.isEmpty()).isFalse();
        CoreSet one = CoreSet.of(before.first());
        var kept = InBackground.start(() -> {
            assertThat(ThreadCores.keepTo(one)).isTrue();
            return ThreadCores.allowed();
        });
        assertThat(kept.result()).isEqualTo(one);
        assertThat(ThreadCores.allowed()).isEqualTo(before);
    }

    @Test
    void refusesMissingCoresWithoutChange() {
        CoreSet before = ThreadCores.allowed();
        assertThat(ThreadCores.keepTo(CoreSet.of(65_535))).isFalse();
        assertThat(ThreadCores.allowed()).isEqualTo(before);
    }
}
