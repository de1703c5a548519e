package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lane is assigned only to queues of its own NIC. */
final class LaneNicsTest {
    @TempDir
    Path root;

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private LaneNics host() {
        Map<InetAddress, String> interfaces = Map.of(
                address("127.0.0.1"), "lo",
                address("10.0.0.1"), "eth0",
                address("10.0.1.1"), "bond0.7",
                address("::1"), "lo");
        return new LaneNics(root, interfaces::get);
    }

    @Test
    void loopbackAndTheHostsOwnAddressesComeThroughNoNic() {
        LaneNics host = host();
        assertThat(host.mayArriveBy("eth0", address("127.0.0.1"), address("127.0.0.1")))
                .isFalse();
        assertThat(host.mayArriveBy("eth0", address("::1"), address("::1"))).isFalse();
        assertThat(host.mayArriveBy("eth0", address("10.0.0.1"), address("10.0.0.1")))
                .isFalse();
        assertThat(host.mayArriveBy("eth0", null, null)).isFalse();
    }

    @Test
    void aLaneComesThroughTheNicOfItsLocalAddress() {
        LaneNics host = host();
        assertThat(host.mayArriveBy("eth0", address("10.0.0.1"), address("10.0.0.9")))
                .isTrue();
        assertThat(host.mayArriveBy("eth1", address("10.0.0.1"), address("10.0.0.9")))
                .isFalse();
    }

    @Test
    void aVlanOverABondComesThroughTheBondsParts() throws IOException {
        Path net = root.resolve("sys/class/net");
        for (String lower : new String[] {"bond0.7/lower_bond0", "bond0/lower_eth2", "bond0/lower_eth3"}) {
            Files.createDirectories(net.resolve(lower));
        }
        LaneNics host = host();
        assertThat(host.mayArriveBy("eth2", address("10.0.1.1"), address("10.0.1.9")))
                .isTrue();
        assertThat(host.mayArriveBy("eth3", address("10.0.1.1"), address("10.0.1.9")))
                .isTrue();
        assertThat(host.mayArriveBy("eth0", address("10.0.1.1"), address("10.0.1.9")))
                .isFalse();
    }
}
