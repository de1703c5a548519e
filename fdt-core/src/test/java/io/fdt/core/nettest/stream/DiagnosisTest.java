package io.fdt.core.nettest.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.host.PciLink;
import io.fdt.core.nettest.stream.ThroughputSums.Core;
import io.fdt.core.nettest.stream.ThroughputSums.Stream;
import io.fdt.core.wire.NettestMessage.HostFacts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every limit is named when its figures are there, and by the figures that show it. */
class DiagnosisTest {
    private static final double SECONDS = 10;

    /** A test between two hosts of 8 cores with 100 Gbit/s between them, with nothing under strain. */
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
        private Core hottestLocal = core(true, 0.2, 0.3, 0.1);
        private Core secondLocal = core(true, 0, 0, 0);
        private Core hottestRemote = core(false, 0.2, 0.3, 0.1);

        Verdict verdict() {
            List<Stream> streams = new ArrayList<>();
            for (int index = 0; index < 4; index++) {
                double bits = gigabitsPerSecond * 1e9 / 4;
                streams.add(new Stream(
                        index,
                        out,
                        (long) (bits * SECONDS / 8),
                        bits,
                        retransmits / 4,
                        10_000,
                        4 << 20,
                        1 << 20,
                        busy,
                        window,
                        buffer,
                        backlog,
                        senderCore,
                        receiverCore,
                        -1,
                        0));
            }
            List<Core> cores = List.of(hottestLocal, secondLocal, hottestRemote, core(false, 0, 0, 0));
            return Diagnosis.of(new Diagnosis.Figures(local, remote, SECONDS, streams, cores, cpuLocal, cpuRemote));
        }
    }

    private static HostFacts host(String name, int allowed, long nicBitsPerSecond) {
        return new HostFacts("fdt", name, "cpu", 8, allowed, "6.1", "eth0", nicBitsPerSecond, "", 0);
    }

    private static Core core(boolean local, double user, double system, double softirq) {
        return new Core(local, 3, user, system, softirq, 0, 1 - user - system - softirq);
    }

    @Test
    void fullNicExplainsEverything() {
        Situation now = new Situation();
        now.gigabitsPerSecond = 94;
        now.window = 0.9;
        now.hottestRemote = core(false, 0, 0.3, 0.7);
        assertThat(now.verdict().limit()).isEqualTo("nic");
        assertThat(now.verdict().evidence()).anyMatch(line -> line.equals("NIC speed 100.00 Gbit/s"));
    }

    @Test
    void slowerOfTheTwoNicsCounts() {
        Situation now = new Situation();
        now.remote = host("b", 8, 21_000_000_000L);
        assertThat(now.verdict().limit()).isEqualTo("nic");
    }

    @Test
    void slotThatIsNarrowerThanItsNicIsTheLimitWhenItIsFull() {
        Situation now = new Situation();
        String slot = new PciLink("0000:81:00.0", 5, 8, 8, 8, 0).arithmetic();
        now.local = new HostFacts("fdt", "a", "cpu", 8, 8, "6.1", "eth2", 40_000_000_000L, slot, 24_600_000_000L);
        now.remote = host("b", 8, 40_000_000_000L);
        now.gigabitsPerSecond = 23.5;
        now.window = 0.4;
        assertThat(now.verdict().limit()).isEqualTo("pcie");
        assertThat(now.verdict().sentence()).contains("eth2 here", "32.0 after 8b/10b", "about 24.6 in practice");
        now.gigabitsPerSecond = 12;
        assertThat(now.verdict().limit()).isNotEqualTo("pcie");
    }

    @Test
    void slotThatCarriesMoreThanItsNicIsNeverTheLimit() {
        Situation now = new Situation();
        now.local = new HostFacts("fdt", "a", "cpu", 8, 8, "6.1", "eth2", 40_000_000_000L, "Gen3 x8", 54_000_000_000L);
        now.remote = host("b", 8, 0);
        now.gigabitsPerSecond = 39;
        assertThat(now.verdict().limit()).isEqualTo("nic");
    }

    @Test
    void windowThatIsShutThoughAllWasTakenIsTooSmall() {
        Situation now = new Situation();
        now.window = 0.7;
        now.backlog = 0.05;
        assertThat(now.verdict().limit()).isEqualTo("window");
        assertThat(now.verdict().sentence()).contains("70 %", "socket buffers");
    }

    @Test
    void receiverThatIsBehindWithItsCoresIdleIsAThrottledPeer() {
        Situation now = new Situation();
        now.window = 0.8;
        now.backlog = 0.9;
        now.cpuRemote = 1;
        assertThat(now.verdict().limit()).isEqualTo("peer");
    }

    @Test
    void receiverThatIsBehindOnOneOfItsCoresLacksProcessors() {
        Situation now = new Situation();
        now.window = 0.8;
        now.backlog = 0.9;
        now.remote = host("b", 1, 0);
        now.cpuRemote = 9;
        assertThat(now.verdict().limit()).isEqualTo("receiver-cpu");
        assertThat(now.verdict().sentence()).contains("0.9 of 1 cores");
    }

    @Test
    void coreFullOfPacketWorkIsNamed() {
        Situation now = new Situation();
        now.window = 0.8;
        now.backlog = 0.9;
        now.hottestRemote = core(false, 0.02, 0.1, 0.85);
        assertThat(now.verdict().limit()).isEqualTo("receiver-softirq");
        assertThat(now.verdict().sentence()).contains("Core 3");
        now.window = 0;
        now.hottestRemote = core(false, 0, 0, 0);
        now.hottestLocal = core(true, 0.02, 0.1, 0.85);
        assertThat(now.verdict().limit()).isEqualTo("sender-softirq");
    }

    @Test
    void sendBufferThatHoldsTheSenderBackIsNamed() {
        Situation now = new Situation();
        now.buffer = 0.6;
        assertThat(now.verdict().limit()).isEqualTo("send-buffer");
    }

    @Test
    void lossComesBeforeTheCongestionWindowThatFollowsFromIt() {
        Situation now = new Situation();
        now.busy = 1;
        now.retransmits = 100_000;
        assertThat(now.verdict().limit()).isEqualTo("loss");
        assertThat(now.verdict().sentence()).contains("100000");
        now.retransmits = 100;
        assertThat(now.verdict().limit()).isEqualTo("path");
    }

    @Test
    void busyCoreOfTheSenderIsTheLimitWhereNothingHeldItBack() {
        Situation now = new Situation();
        now.hottestLocal = core(true, 0.3, 0.6, 0.08);
        assertThat(now.verdict().limit()).isEqualTo("sender-cpu");
    }

    @Test
    void rolesAreThoseOfTheDirectionThatCarriedMore() {
        Situation now = new Situation();
        now.out = false;
        now.hottestLocal = core(true, 0.3, 0.6, 0.08);
        assertThat(now.verdict().limit()).isEqualTo("receiver-cpu");
        assertThat(now.verdict().evidence().get(0)).contains("from the server to here");
    }

    @Test
    void onOneHostTheEndThatUsedMoreIsNamed() {
        Situation now = new Situation();
        now.remote = host("a", 8, 0);
        now.local = host("a", 8, 0);
        now.hottestLocal = core(true, 0.3, 0.6, 0.1);
        now.cpuRemote = 30;
        assertThat(now.verdict().limit())
                .as("one busy core of two says nothing")
                .isEqualTo("unknown");
        now.cpuRemote = 79;
        assertThat(now.verdict().limit()).isEqualTo("receiver-cpu");
        assertThat(now.verdict().sentence()).contains("same machine");
    }

    @Test
    void sidesCoreThatOtherProgramsFillTooIsTheLimit() {
        Situation now = new Situation();
        now.local = host("a", 1, 0);
        now.remote = host("a", 8, 0);
        now.cpuLocal = 4;
        now.hottestLocal = core(true, 0.6, 0.4, 0);
        assertThat(now.verdict().limit()).as("who runs where is unknown").isEqualTo("unknown");
        now.senderCore = 3;
        assertThat(now.verdict().limit()).isEqualTo("sender-foreign-load");
        assertThat(now.verdict().sentence()).contains("used 0.6 cores, and the test 0.4 of 1");
        now.out = false;
        now.receiverCore = 3;
        assertThat(now.verdict().limit()).isEqualTo("receiver-foreign-load");
        now.cpuLocal = 7;
        assertThat(now.verdict().limit()).isEqualTo("receiver-cpu");
        assertThat(now.verdict().sentence()).contains("0.7 of 1 cores, other programs 0.3");
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
        assertThat(now.verdict().limit()).isEqualTo("sender-foreign-load");
        assertThat(now.verdict().sentence()).contains("they used 1.5 cores, and the test 0.5 of 2");
    }

    @Test
    void coreThatOtherProgramsFillIsNoLimitOfASideThatRunsElsewhere() {
        Situation now = new Situation();
        now.local = host("a", 1, 0);
        now.remote = host("a", 8, 0);
        now.cpuLocal = 4;
        now.hottestLocal = core(true, 0.6, 0.4, 0);
        now.senderCore = 2;
        assertThat(now.verdict().limit()).isEqualTo("unknown");
        now.senderCore = 3;
        now.local = host("a", 2, 0);
        assertThat(now.verdict().limit()).as("its other core is idle").isEqualTo("unknown");
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
        assertThat(now.verdict().limit()).isEqualTo("sender-cpu");
        assertThat(now.verdict().sentence()).contains("0.6 of 1 cores");
    }

    @Test
    void saysNothingOfWhatItDoesNotKnow() {
        Situation now = new Situation();
        assertThat(now.verdict().limit()).isEqualTo("unknown");
        now.gigabitsPerSecond = 0;
        assertThat(now.verdict().limit()).isEqualTo("unknown");
        assertThat(now.verdict().evidence()).isEmpty();
    }
}
