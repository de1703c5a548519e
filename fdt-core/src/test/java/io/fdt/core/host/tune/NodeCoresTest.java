package io.fdt.core.host.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.host.CoreSet;
import io.fdt.core.host.Host;
import io.fdt.core.host.RecordedHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeCoresTest {
    @TempDir
    Path root;

    private Host recorded(String name) {
        return Host.read(RecordedHost.unpack(name, root));
    }

    private static void refuses(Host host, CoreSet allowed, String why) {
        assertThatThrownBy(() -> NodeCores.of(host, allowed))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(FailureKind.USAGE))
                .hasMessage("--pin nodes: " + why + ", so there is nothing to compare; leave --pin out");
    }

    /** Node 0 has cores 0 to 5 and their second threads 12 to 17, and node 1 the others; eth2 is on node 0. */
    @Test
    void takesAsManyCoresOfAnotherNodeAsAreForLanesBesideTheNic() {
        Host host = recorded("bonded40");
        NodeCores cores = NodeCores.of(host, host.topology().online());

        assertThat(cores.nic()).isEqualTo("eth2");
        assertThat(cores.node()).isZero();
        assertThat(cores.same().toList()).isNotEmpty().allMatch(core -> core < 6);
        assertThat(cores.other().toList())
                .hasSameSizeAs(cores.same().toList())
                .allMatch(core -> core >= 6 && core < 12);
    }

    @Test
    void takesTheNodeOfTheNic() throws IOException {
        RecordedHost.unpack("bonded40", root);
        Files.writeString(root.resolve("sys/class/net/eth2/operstate"), "down\n");
        Host host = Host.read(root);
        NodeCores cores = NodeCores.of(host, host.topology().online());

        assertThat(cores.nic()).isEqualTo("eth3");
        assertThat(cores.node()).isEqualTo(1);
        assertThat(cores.other().toList()).isNotEmpty().allMatch(core -> core < 6);
    }

    @Test
    void saysWhyThereIsNothingToCompare() {
        Host host = recorded("bonded40");
        refuses(host, CoreSet.of(0, 1, 2), "this process may use the cores of only one NUMA node");
        refuses(host, CoreSet.of(7, 8), "this process may use the cores of only one NUMA node");
        Host one = Host.read(RecordedHost.unpack("vm", root.resolve("vm")));
        refuses(one, one.topology().online(), "this host has one NUMA node");
    }

    @Test
    void saysWhichIsFaster() {
        NodeCores cores = new NodeCores("eth2", 0, CoreSet.of(1, 3), CoreSet.of(6, 7));

        assertThat(cores.verdict(38.1e9, 36e9))
                .isEqualTo("lanes on node 0, that of eth2 (cores 1,3): 38.10 Gbit/s; on another node (cores 6-7):"
                        + " 36.00 Gbit/s; the NIC's node is faster: use --pin 1,3");
        assertThat(cores.verdict(36e9, 38.1e9)).endsWith("the other node is faster: use --pin 6-7");
        assertThat(cores.verdict(38e9, 37.9e9)).endsWith("neither is faster than the other: --pin auto is good");
        assertThat(cores.faster(0, 0)).isEqualTo("neither");
    }
}
