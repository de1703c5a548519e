package io.fdt.core.host.tune;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.host.Core;
import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import io.fdt.core.host.RecordedHost;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LaneCoresTest {
    @TempDir
    Path root;

    private Host recorded() {
        return Host.read(RecordedHost.unpack("bonded40", root));
    }

    @Test
    void givenCoresAreUsedInTurnAndKept() {
        LaneCores cores = LaneCores.of(CoreSet.of(2, 3, 9));
        assertThat(IntStream.range(0, 5).mapToObj(cores::of).map(CoreSet::first))
                .containsExactly(2, 3, 9, 2, 3);
        assertThat(cores.beside(0, CoreSet.of(2), 5)).isEqualTo(CoreSet.of(2));
        assertThat(cores).isNotEqualTo(LaneCores.ANY);
    }

    @Test
    void firstLanesGetCoresOfTheirOwnAndFurtherLanesAreNotPinned() {
        Host host = recorded();
        TunePlan plan = TunePlan.of(host, new TuneRequest(List.of(), 0, 0, 4));
        LaneCores cores = LaneCores.planned(host, host.topology().online());
        for (int lane = 0; lane < 4; lane++) {
            assertThat(cores.of(lane))
                    .isEqualTo(CoreSet.of(plan.lanes().get(lane).core()));
        }
        Set<Integer> taken = new HashSet<>();
        int lane = 0;
        while (cores.of(lane).size() == 1) {
            assertThat(taken.add(cores.of(lane).first())).as("lane " + lane).isTrue();
            lane++;
        }
        assertThat(taken).hasSize(12);
        assertThat(cores.of(lane)).isEqualTo(host.topology().online());
    }

    @Test
    void keepsToTheCoresThatTheProcessMayUse() {
        Host host = recorded();
        CoreSet allowed = CoreSet.ofList("0-5");
        assertThat(allowed).isNotNull();
        LaneCores cores = LaneCores.planned(host, allowed);
        for (int lane = 0; lane < 40; lane++) {
            assertThat(cores.of(lane).without(allowed)).isEqualTo(CoreSet.NONE);
        }
        assertThat(LaneCores.planned(host, CoreSet.of(1, 2, 3))).isEqualTo(LaneCores.ANY);
    }

    @Test
    void laneMovesToTheCacheOfItsInterrupts() {
        Host host = recorded();
        LaneCores cores = LaneCores.planned(host, host.topology().online());
        CoreSet begins = cores.of(0);
        Core core = host.topology().core(begins.first());
        assertThat(core).isNotNull();
        int near = core.sharesLastCache().without(begins).first();
        int far = host.topology().online().without(core.sharesLastCache()).first();
        assertThat(cores.beside(0, begins, near)).isEqualTo(begins);
        CoreSet moved = cores.beside(0, begins, far);
        assertThat(moved.size()).isEqualTo(1);
        Core there = host.topology().core(moved.first());
        assertThat(there).isNotNull();
        assertThat(there.sharesLastCache().contains(far)).isTrue();
        assertThat(cores.beside(0, moved, far)).isEqualTo(moved);
    }

    @Test
    void pinsNoLaneWithoutANic() {
        Host host = recorded();
        Host bare = new Host(
                host.name(),
                new Host.Machine(
                        host.machine().cpu(),
                        host.machine().kernel(),
                        host.machine().bootId()),
                host.topology(),
                new Host.Network(List.of(), List.of(), host.network().rdma()),
                host.sysctls(),
                host.load(),
                new Host.Processes(0, host.processes().lanes()));
        LaneCores cores = LaneCores.planned(bare, bare.topology().online());
        assertThat(cores).isEqualTo(LaneCores.ANY);
        assertThat(cores.of(0)).isEqualTo(CoreSet.NONE);
    }
}
