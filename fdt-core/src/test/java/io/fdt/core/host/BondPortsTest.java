package io.fdt.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BondPortsTest {
    private static final int LANES = 8;

    @TempDir
    Path root;

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static final InetAddress SOURCE = address("10.78.0.1");
    private static final InetSocketAddress SERVER = new InetSocketAddress(address("10.78.0.2"), 27_321);

    private static Bond bond(String mode, String policy, int slaves) {
        List<Bond.Slave> nics = new ArrayList<>();
        for (int slave = 0; slave < slaves; slave++) {
            nics.add(new Bond.Slave("eth" + slave, true, 0, 0, 0));
        }
        return new Bond("bond0", mode, policy, nics);
    }

    private static BondPorts.SlaveLease present(BondPorts.@Nullable SlaveLease place) {
        assertThat(place).isNotNull();
        return place;
    }

    private static InetSocketAddress next(BondPorts.SlaveLease place) {
        InetSocketAddress next = place.next();
        assertThat(next).isNotNull();
        return next;
    }

    private static int slaveOf(int port, int slaves) {
        return Integer.remainderUnsigned(BondHash.layer34(SOURCE, port, SERVER.getAddress(), SERVER.getPort()), slaves);
    }

    private void write(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @ParameterizedTest
    @CsvSource({"2, 4, 4", "3, 2, 3", "4, 2, 2"})
    void portsSpreadLanesEvenlyOverSlaves(int slaves, int fewest, int most) {
        BondPorts ports = new BondPorts(root);
        Bond bond = bond("balance-xor", "layer3+4", slaves);
        int[] lanes = new int[slaves];
        Set<Integer> chosen = new HashSet<>();
        for (int lane = 0; lane < LANES; lane++) {
            InetSocketAddress from = next(present(ports.place(bond, SOURCE, SERVER, 3571 * lane)));
            assertThat(from.getAddress()).isEqualTo(SOURCE);
            assertThat(from.getPort()).isBetween(32_768, 60_999);
            assertThat(chosen.add(from.getPort())).isTrue();
            lanes[slaveOf(from.getPort(), slaves)]++;
        }
        for (int count : lanes) {
            assertThat(count).isBetween(fewest, most);
        }
    }

    @Test
    void furtherPortsOfALaneLeadToTheSameSlave() {
        BondPorts.SlaveLease place =
                present(new BondPorts(root).place(bond("802.3ad", "layer3+4", 2), SOURCE, SERVER, 60_000));
        Set<Integer> slaves = new HashSet<>();
        Set<Integer> tried = new HashSet<>();
        for (InetSocketAddress from = place.next(); from != null; from = place.next()) {
            assertThat(tried.add(from.getPort())).isTrue();
            slaves.add(slaveOf(from.getPort(), 2));
        }
        assertThat(tried).hasSize(64);
        assertThat(slaves).hasSize(1);
    }

    @Test
    void replacementLaneUsesSlaveOfClosedLane() {
        BondPorts ports = new BondPorts(root);
        Bond bond = bond("balance-xor", "layer3+4", 2);
        BondPorts.SlaveLease first = present(ports.place(bond, SOURCE, SERVER, 0));
        present(ports.place(bond, SOURCE, SERVER, 0));
        int slave = slaveOf(next(first).getPort(), 2);
        first.release();
        first.release();
        assertThat(slaveOf(next(present(ports.place(bond, SOURCE, SERVER, 0))).getPort(), 2))
                .isEqualTo(slave);
        assertThat(slaveOf(next(present(ports.place(bond, SOURCE, SERVER, 0))).getPort(), 2))
                .isEqualTo(slave);
    }

    @ParameterizedTest
    @CsvSource({
        "balance-xor, layer2, 2",
        "802.3ad, layer2+3, 2",
        "802.3ad, encap3+4, 2",
        "active-backup, '', 2",
        "balance-rr, '', 2",
        "balance-xor, layer3+4, 1"
    })
    void leavesOtherBondsToTheSystem(String mode, String policy, int slaves) {
        assertThat(new BondPorts(root).place(bond(mode, policy, slaves), SOURCE, SERVER, 0))
                .isNull();
    }

    @Test
    void respectsPortRangeAndReservedPorts() throws IOException {
        write("proc/sys/net/ipv4/ip_local_port_range", "40000\t40015\n");
        write("proc/sys/net/ipv4/ip_local_reserved_ports", "40000-40007,40009\n");
        BondPorts ports = new BondPorts(root);
        Bond bond = bond("balance-xor", "layer3+4", 2);
        List<Integer> found = new ArrayList<>();
        for (int lane = 0; lane < 2; lane++) {
            BondPorts.SlaveLease place = present(ports.place(bond, SOURCE, SERVER, 7));
            for (InetSocketAddress from = place.next(); from != null; from = place.next()) {
                found.add(from.getPort());
            }
        }
        assertThat(found).containsExactlyInAnyOrder(40_008, 40_010, 40_011, 40_012, 40_013, 40_014, 40_015);
    }

    @Test
    void findsTheBondBelowAVlan() throws IOException {
        write("sys/class/net/bond0/bonding/mode", "802.3ad 4\n");
        write("sys/class/net/bond0/bonding/xmit_hash_policy", "layer3+4 1\n");
        write("sys/class/net/bond0/bonding/slaves", "eth0 eth1\n");
        write("sys/class/net/bond0.7/lower_bond0/ifindex", "5\n");
        write("sys/class/net/eth0/ifindex", "2\n");
        BondReader bonds = new BondReader(new HostFiles(root));
        Bond bond = bonds.below("bond0.7");
        assertThat(bond).isNotNull().isEqualTo(bonds.below("bond0"));
        assertThat(bond.name()).isEqualTo("bond0");
        assertThat(bonds.below("eth0")).isNull();
    }

    @Test
    void ignoresLoopbackStreams() {
        assertThat(new BondPorts(Path.of("/")).place(new InetSocketAddress(address("127.0.0.1"), 1), null))
                .isNull();
    }
}
