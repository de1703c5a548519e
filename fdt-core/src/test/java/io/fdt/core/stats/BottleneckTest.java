package io.fdt.core.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.stats.Bottleneck.Share;
import io.fdt.core.stats.SessionActivity.Direction;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bottleneck of a copy that runs. */
final class BottleneckTest {
    private static final List<String> SENDER =
            List.of("rate-limit", "source-disk", "sender-cpu", "sender-foreign-load", "blocked", "idle");
    private static final List<String> RECEIVER =
            List.of("rate-limit", "target-disk", "receiver-cpu", "receiver-foreign-load", "idle");

    @Test
    void bothEndsNameTheSameBottleneckWhateverTheyFind() {
        for (String sender : SENDER) {
            for (String receiver : RECEIVER) {
                for (int percent : new int[] {30, 90}) {
                    Share sending = new Share(sender, 70);
                    Share receiving = new Share(receiver, percent);
                    Share verdict = Bottleneck.ofBoth(Direction.OUT, sending, receiving);
                    assertThat(Bottleneck.ofBoth(Direction.IN, receiving, sending))
                            .as("%s and %s", sending, receiving)
                            .isEqualTo(verdict);
                    assertThat(verdict.limit()).isNotIn("blocked", "none");
                }
            }
        }
    }

    @Test
    void aReceiverThatWaitsForDataNamesWhatDelaysTheSender() {
        Share idle = new Share("idle", 95);
        assertThat(Bottleneck.ofBoth(Direction.IN, idle, new Share("source-disk", 80)))
                .isEqualTo(new Share("source-disk", 80));
        assertThat(Bottleneck.ofBoth(Direction.IN, idle, new Share("blocked", 80)))
                .isEqualTo(new Share("network", 80));
        assertThat(Bottleneck.ofBoth(Direction.IN, idle, null)).isEqualTo(idle);
    }

    @Test
    void aBlockedSenderNamesWhatTheReceiverIsBusyWith() {
        Share blocked = new Share("blocked", 80);
        assertThat(Bottleneck.ofBoth(Direction.OUT, blocked, new Share("target-disk", 60)))
                .isEqualTo(new Share("target-disk", 60));
        assertThat(Bottleneck.ofBoth(Direction.OUT, blocked, null)).isEqualTo(blocked);
    }
}
