package io.fdt.core.nettest.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.host.PciLink;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.stats.HostFacts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every limit is named when its figures are present, together with the figures that show it. */
class DiagnosisTest {
    private static final double SECONDS = 10;

    /** A test between two hosts with 8 cores and 100 Gbit/s between them, and no overload. */
    private static final class Situation {
        private HostFacts local = host("a", 8, 100_000_000_000L);
        private HostFacts remote = host("b", 8, 100_000_000_000L);
        private boolean out = true;
        private double gigabitsPerSecond = 20;
        private long retransmits;
        private double busy = 0.6;
        private double window;
        private double buffer;
        private double backlog;
        private double cpuLocal = 20;
        private double cpuRemote = 20;
        private int senderCore = -1;
        private int receiverCore = -1;
        private JsonObject hottestLocal = core(true, 0.2, 0.3, 0.1);
        private JsonObject secondLocal = core(true, 0, 0, 0);
        private JsonObject hottestRemote = core(false, 0.2, 0.3, 0.1);

        JsonObject verdict() {
            List<JsonObject> streams = new ArrayList<>();
            for (int index = 0; index < 4; index++) {
                double bits = gigabitsPerSecond * 1e9 / 4;
                streams.add(new JsonObject()
                        .with("direction", out ? "out" : "in")
                        .with("bytes", (long) (bits * SECONDS / 8))
                        .with("bits_per_second", bits, 1)
                        .with("retransmits", retransmits / 4)
                        .with("rtt_us", 10_000)
                        .with("cwnd_bytes", 4 << 20)
                        .with("window_bytes", 1 << 20)
                        .with("busy", busy, 4)
                        .with("receiver_limited", window, 4)
                        .with("buffer_limited", buffer, 4)
                        .with("backlog", backlog, 4)
                        .withKnown("sender_core", senderCore)
                        .withKnown("core", receiverCore));
            }
            List<JsonObject> cores = List.of(hottestLocal, secondLocal, hottestRemote, core(false, 0, 0, 0));
            LaneMode way = LaneMode.DIRECT;
            return Diagnosis.of(
                    new Circumstances(
                            "tcp",
                            SECONDS,
                            true,
                            new Circumstances.Side(local, cpuLocal, way),
                            new Circumstances.Side(remote, cpuRemote, way)),
                    streams,
                    cores);
        }

        String limit() {
            return verdict().text("limit");
        }

        String sentence() {
            return verdict().text("sentence");
        }

        List<String> evidence() {
            return verdict().texts("evidence");
        }
    }

    private static HostFacts host(String name, int allowed, long nicBitsPerSecond) {
        return new HostFacts(
                "fdt",
                name,
                "6.1",
                new HostFacts.Cpu("cpu", 8, allowed),
                new HostFacts.Nic("eth0", nicBitsPerSecond, "", 0));
    }

    private static JsonObject core(boolean local, double user, double system, double softirq) {
        return new JsonObject()
                .with("side", local ? "local" : "remote")
                .with("core", 3)
                .with("user", user, 4)
                .with("system", system, 4)
                .with("softirq", softirq, 4)
                .with("idle", 1 - user - system - softirq, 4);
    }

    @Test
    void fullNicExplainsEverything() {
        Situation now = new Situation();
        now.gigabitsPerSecond = 94;
        now.window = 0.9;
        now.hottestRemote = core(false, 0, 0.3, 0.7);
        assertThat(now.limit()).isEqualTo("nic");
        assertThat(now.evidence()).anyMatch(line -> line.equals("NIC speed 100.00 Gbit/s"));
    }

    @Test
    void slowerNicIsTheLimit() {
        Situation now = new Situation();
        now.remote = host("b", 8, 21_000_000_000L);
        assertThat(now.limit()).isEqualTo("nic");
    }

    @Test
    void slotThatIsNarrowerThanItsNicIsTheLimitWhenItIsFull() {
        Situation now = new Situation();
        String slot = new PciLink("0000:81:00.0", 5, 8, 8, 8, 0).arithmetic();
        now.local = new HostFacts(
                "fdt",
                "a",
                "6.1",
                new HostFacts.Cpu("cpu", 8, 8),
                new HostFacts.Nic("eth2", 40_000_000_000L, slot, 24_600_000_000L));
        now.remote = host("b", 8, 40_000_000_000L);
        now.gigabitsPerSecond = 23.5;
        now.window = 0.4;
        assertThat(now.limit()).isEqualTo("pcie");
        assertThat(now.sentence()).contains("eth2 here", "32.0 after 8b/10b", "about 24.6 in practice");
        now.gigabitsPerSecond = 12;
        assertThat(now.limit()).isNotEqualTo("pcie");
    }

    @Test
    void slotThatCarriesMoreThanItsNicIsNeverTheLimit() {
        Situation now = new Situation();
        now.local = new HostFacts(
                "fdt",
                "a",
                "6.1",
                new HostFacts.Cpu("cpu", 8, 8),
                new HostFacts.Nic("eth2", 40_000_000_000L, "Gen3 x8", 54_000_000_000L));
        now.remote = host("b", 8, 0);
        now.gigabitsPerSecond = 39;
        assertThat(now.limit()).isEqualTo("nic");
    }

    @Test
    void closedWindowOfIdleReceiverIsTooSmall() {
        Situation now = new Situation();
        now.window = 0.7;
        now.backlog = 0.05;
        assertThat(now.limit()).isEqualTo("window");
        assertThat(now.sentence()).contains("70 %", "socket buffers");
    }

    @Test
    void slowReceiverWithIdleCoresIsThrottled() {
        Situation now = new Situation();
        now.window = 0.8;
        now.backlog = 0.9;
        now.cpuRemote = 1;
        assertThat(now.limit()).isEqualTo("peer");
    }

    @Test
    void slowReceiverWithBusyCoreLacksCpu() {
        Situation now = new Situation();
        now.window = 0.8;
        now.backlog = 0.9;
        now.remote = host("b", 1, 0);
        now.cpuRemote = 9;
        assertThat(now.limit()).isEqualTo("receiver-cpu");
        assertThat(now.sentence()).contains("0.9 of 1 cores");
    }

    @Test
    void coreFullOfPacketWorkIsNamed() {
        Situation now = new Situation();
        now.window = 0.8;
        now.backlog = 0.9;
        now.hottestRemote = core(false, 0.02, 0.1, 0.85);
        assertThat(now.limit()).isEqualTo("receiver-softirq");
        assertThat(now.sentence()).contains("Core 3");
        now.window = 0;
        now.hottestRemote = core(false, 0, 0, 0);
        now.hottestLocal = core(true, 0.02, 0.1, 0.85);
        assertThat(now.limit()).isEqualTo("sender-softirq");
    }

    @Test
    void sendBufferThatHoldsTheSenderBackIsNamed() {
        Situation now = new Situation();
        now.buffer = 0.6;
        assertThat(now.limit()).isEqualTo("send-buffer");
    }

    @Test
    void reportsLossInsteadOfCongestionWindow() {
        Situation now = new Situation();
        now.busy = 1;
        now.retransmits = 100_000;
        assertThat(now.limit()).isEqualTo("loss");
        assertThat(now.sentence()).contains("100000");
        now.retransmits = 100;
        assertThat(now.limit()).isEqualTo("path");
    }

    @Test
    void busySenderCoreIsTheLimit() {
        Situation now = new Situation();
        now.hottestLocal = core(true, 0.3, 0.6, 0.08);
        assertThat(now.limit()).isEqualTo("sender-cpu");
    }

    @Test
    void rolesFollowDirectionWithMoreBytes() {
        Situation now = new Situation();
        now.out = false;
        now.hottestLocal = core(true, 0.3, 0.6, 0.08);
        assertThat(now.limit()).isEqualTo("receiver-cpu");
        assertThat(now.evidence().get(0)).contains("from the server to here");
    }

    @Test
    void onOneHostTheEndThatUsedMoreIsNamed() {
        Situation now = new Situation();
        now.remote = host("a", 8, 0);
        now.local = host("a", 8, 0);
        now.hottestLocal = core(true, 0.3, 0.6, 0.1);
        now.cpuRemote = 30;
        assertThat(now.limit()).as("one busy core of two says nothing").isEqualTo("unknown");
        now.cpuRemote = 79;
        assertThat(now.limit()).isEqualTo("receiver-cpu");
        assertThat(now.sentence()).contains("same machine");
    }

    @Test
    void sidesCoreThatOtherProgramsFillTooIsTheLimit() {
        Situation now = new Situation();
        now.local = host("a", 1, 0);
        now.remote = host("a", 8, 0);
        now.cpuLocal = 4;
        now.hottestLocal = core(true, 0.6, 0.4, 0);
        assertThat(now.limit()).as("who runs where is unknown").isEqualTo("unknown");
        now.senderCore = 3;
        assertThat(now.limit()).isEqualTo("sender-foreign-load");
        assertThat(now.sentence()).contains("used 0.6 cores, and the test 0.4 of 1");
        now.out = false;
        now.receiverCore = 3;
        assertThat(now.limit()).isEqualTo("receiver-foreign-load");
        now.cpuLocal = 7;
        assertThat(now.limit()).isEqualTo("receiver-cpu");
        assertThat(now.sentence()).contains("0.7 of 1 cores, other programs 0.3");
    }

    @Test
    void hostWhoseCoresOtherProgramsFillIsToldFromOneThatTheTestFills() {
        Situation now = new Situation();
        now.local = host("a", 2, 0);
        now.remote = host("a", 2, 0);
        now.hottestLocal = core(true, 0.6, 0.4, 0);
        now.secondLocal = core(true, 0.6, 0.4, 0);
        now.cpuLocal = 3;
        now.cpuRemote = 2;
        assertThat(now.limit()).isEqualTo("sender-foreign-load");
        assertThat(now.sentence()).contains("they used 1.5 cores, and the test 0.5 of 2");
    }

    @Test
    void coreThatOtherProgramsFillIsNoLimitOfASideThatRunsElsewhere() {
        Situation now = new Situation();
        now.local = host("a", 1, 0);
        now.remote = host("a", 8, 0);
        now.cpuLocal = 4;
        now.hottestLocal = core(true, 0.6, 0.4, 0);
        now.senderCore = 2;
        assertThat(now.limit()).isEqualTo("unknown");
        now.senderCore = 3;
        now.local = host("a", 2, 0);
        assertThat(now.limit()).as("its other core is idle").isEqualTo("unknown");
    }

    @Test
    void onOneBusyHostTheEndThatUsedMoreOfItsCoresIsNamed() {
        Situation now = new Situation();
        now.local = host("a", 2, 0);
        now.remote = host("a", 1, 0);
        now.out = false;
        now.hottestLocal = core(true, 0.6, 0.4, 0);
        now.secondLocal = core(true, 0.6, 0.4, 0);
        now.cpuLocal = 8;
        now.cpuRemote = 6;
        assertThat(now.limit()).isEqualTo("sender-cpu");
        assertThat(now.sentence()).contains("0.6 of 1 cores");
    }

    @Test
    void reportsNothingWithoutFigures() {
        Situation now = new Situation();
        assertThat(now.limit()).isEqualTo("unknown");
        now.gigabitsPerSecond = 0;
        assertThat(now.limit()).isEqualTo("unknown");
        assertThat(now.evidence()).isEmpty();
    }
}
