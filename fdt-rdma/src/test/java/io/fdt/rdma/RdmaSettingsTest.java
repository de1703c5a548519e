package io.fdt.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.TransferException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RdmaSettingsTest {
    private static final RdmaSettings DEFAULT = RdmaSettings.DEFAULT;

    @Test
    void defaultLaneFillsOneHugePage() {
        assertThat(DEFAULT.blocks().laneBytes()).isEqualTo(2 << 20);
    }

    @Test
    void laneIsCountedWithAllItsBlocksAndRequests() {
        RdmaSettings many = DEFAULT.withBlocks(1024, 1024, 512);
        long blocks = (1024 + 1024 + 1) * (long) many.blocks().strideBytes();
        assertThat(many.blocks().laneBytes())
                .isGreaterThan(blocks + 2 * 2048 * (128 + 16))
                .isLessThan(blocks + (4 << 20));
        assertThat(many.blocks().laneBytes() % (2 << 20)).isZero();
    }

    @Test
    void laneHasBounds() {
        refused(() -> DEFAULT.withBlocks(1, 8, 1), "blocks to send with are 2 to 1024");
        refused(() -> DEFAULT.withBlocks(6, 1025, 1), "blocks to receive into are 2 to 1024");
        refused(() -> DEFAULT.withBlocks(6, 8, 7), "one block in 1 to 6 is signalled");
        refused(() -> DEFAULT.withBlockBytes(1 << 16), "blocks have 131584 to");
        refused(() -> DEFAULT.withBlockBytes(1 << 24), "blocks have 131584 to");
        refused(() -> DEFAULT.withPacketBytes(1500), "packets have 256");
        refused(() -> DEFAULT.withPacketBytes(8192), "packets have 256");
        refused(
                () -> DEFAULT.withBlockBytes(RdmaSettings.MAX_BLOCK_BYTES).withBlocks(100, 100, 1),
                "more than 1 GiB per lane");
    }

    private static void refused(Runnable making, String why) {
        assertThatThrownBy(making::run).isInstanceOf(TransferException.class).hasMessageContaining(why);
    }

    /** The block layout that a peer announces: bytes of a block, and the distance from one block to the next. */
    @ParameterizedTest
    @CsvSource({
        "8, 131584, 135168, true",
        "2, 131584, 131584, true",
        "1024, 8389120, 8392704, true",
        "1, 131584, 135168, false",
        "1025, 131584, 135168, false",
        "8, 131583, 135168, false",
        "8, 8389121, 8392704, false",
        "8, 131584, 131583, false",
        "8, 131584, 263169, false",
        "8, -1, -1, false",
        "8, 131584, 2147483647, false",
    })
    void helloMustMakeSense(int blocks, int blockBytes, int strideBytes, boolean sound) {
        ByteBuffer bytes = ByteBuffer.allocate(Hello.BYTES);
        Hello told = new Hello(blocks, blockBytes, strideBytes, 77, 1L << 40);
        told.write(bytes);
        assertThat(Hello.isHello(bytes)).isTrue();
        if (sound) {
            assertThat(Hello.read(bytes)).isEqualTo(told);
        } else {
            assertThat(Hello.read(bytes)).isNull();
        }
    }
}
