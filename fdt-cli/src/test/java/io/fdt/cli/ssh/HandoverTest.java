package io.fdt.cli.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HandoverTest {
    @Test
    void readsWhatItWrote() {
        Handover handover =
                new Handover(40_001, RawPath.ofBytes(new byte[] {'/', 'a', ' ', '\n', (byte) 0xFF}), "fdt-key:abc def");
        assertThat(handover.toLine()).doesNotContain("\n");
        assertThat(Handover.parse(handover.toLine())).isEqualTo(handover);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Welcome to dtn2!", " fdt-over-ssh 1 1 2f k", "fdt server ready on 127.0.0.1:1"})
    void ignoresOutputOfLoginScripts(String line) {
        assertThat(Handover.parse(line)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fdt-over-ssh 1",
                "fdt-over-ssh 1 0 2f k",
                "fdt-over-ssh 1 70000 2f k",
                "fdt-over-ssh 1 x 2f k",
                "fdt-over-ssh 1 1 2 k",
                "fdt-over-ssh 1 1 2f"
            })
    void refusesDamagedHandover(String line) {
        assertThatThrownBy(() -> Handover.parse(line))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.CANNOT_CONNECT));
    }

    @Test
    void recognizesOtherRelease() {
        assertThatThrownBy(() -> Handover.parse("fdt-over-ssh 2 anything"))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.VERSION));
    }
}
