package io.fdt.core.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many bytes a PCI device may request in one read. */
class PciConfigTest {
    private static String text(byte[] config) {
        return new String(config, StandardCharsets.ISO_8859_1);
    }

    @Test
    void findsTheControlWordBehindOthersInTheList() {
        String config = text(RecordedConfig.bytes());
        assertThat(PciConfig.controlAt(config)).isEqualTo(RecordedConfig.CONTROL_AT);
        assertThat(PciConfig.word(config, RecordedConfig.CONTROL_AT)).isEqualTo(RecordedConfig.CONTROL);
        assertThat(PciConfig.readRequestBytes(config)).isEqualTo(512);
    }

    @ParameterizedTest
    @CsvSource({"0x0936, 128", "0x1936, 256", "0x2936, 512", "0x5936, 4096", "0xd936, 4096", "0x6936, 0", "0x7936, 0"})
    void knowsEverySizeAndNoneThatIsReserved(String control, int bytes) {
        byte[] config = RecordedConfig.bytes();
        int word = Integer.decode(control);
        config[RecordedConfig.CONTROL_AT] = (byte) word;
        config[RecordedConfig.CONTROL_AT + 1] = (byte) (word >> 8);
        assertThat(PciConfig.readRequestBytes(text(config))).isEqualTo(bytes);
    }

    @Test
    void readRequestIsUnknownInIncompleteConfig() {
        assertThat(PciConfig.readRequestBytes(text(Arrays.copyOf(RecordedConfig.bytes(), 64))))
                .as("what others than root are shown")
                .isZero();
        assertThat(PciConfig.readRequestBytes("")).isZero();
        byte[] withoutList = RecordedConfig.bytes();
        withoutList[0x06] = 0;
        assertThat(PciConfig.readRequestBytes(text(withoutList))).isZero();
        byte[] gone = new byte[256];
        Arrays.fill(gone, (byte) 0xff);
        assertThat(PciConfig.readRequestBytes(text(gone))).isZero();
    }

    @Test
    void cyclicCapabilityListEnds() {
        byte[] config = RecordedConfig.bytes();
        config[0x41] = 0x40;
        assertThat(PciConfig.controlAt(text(config))).isEqualTo(-1);
    }

    @Test
    void changesOnlyTheReadRequestBits() {
        assertThat(PciConfig.withReadRequest(0x2936, 4096)).isEqualTo(0x5936);
        assertThat(PciConfig.withReadRequest(0xd936, 128)).isEqualTo(0x8936);
        for (int wrong : new int[] {0, 64, 600, 8192}) {
            assertThatThrownBy(() -> PciConfig.withReadRequest(0, wrong)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
