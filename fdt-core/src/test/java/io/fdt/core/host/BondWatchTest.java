package io.fdt.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Lane;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.transport.SpreadWatch.Role;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a bond have the kernel's format, and are below the name of the one device that every host has. */
class BondWatchTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final InetSocketAddress SERVER = new InetSocketAddress(HERE, 27_321);
    private static final String BOND = "sys/class/net/lo/bonding/";
    private static final long SECOND = 1_000_000_000L;
    private static final long LANE_BYTES = 100L << 20;

    @TempDir
    Path root;

    private final long[] sent = new long[2];
    private final long[] received = new long[2];
    private final List<Integer> ports = new ArrayList<>();
    private long seconds;

    @BeforeEach
    void bondTwoSlaves() throws IOException {
        write(BOND + "mode", "802.3ad 4\n");
        write(BOND + "xmit_hash_policy", "layer3+4 1\n");
        write(BOND + "slaves", "eth0 eth1\n");
        write(BOND + "ad_aggregator", "1\n");
        for (int slave = 0; slave < 2; slave++) {
            write("sys/class/net/eth" + slave + "/bonding_slave/mii_status", "up\n");
            write("sys/class/net/eth" + slave + "/bonding_slave/ad_aggregator_id", "1\n");
        }
    }

    private void write(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static int slaveOf(int port) {
        return Integer.remainderUnsigned(BondHash.layer34(HERE, port, HERE, SERVER.getPort()), 2);
    }

    /** Returns the first port from {@code from} on that leads to the slave. */
    private static int portTo(int slave, int from) {
        int port = from;
        while (slaveOf(port) != slave) {
            port++;
        }
        return port;
    }

    private void lanesOn(int... slaves) {
        ports.clear();
        for (int lane = 0; lane < slaves.length; lane++) {
            ports.add(portTo(slaves[lane], 40_000 + 100 * lane));
        }
    }

    /**
     * Lets all lanes carry the same load for this many seconds: outgoing over the slaves of their ports, incoming over
     * the first slave.
     */
    private SpreadWatch.Advice after(int passed, BondWatch watch) throws IOException {
        SpreadWatch.Advice advice = new SpreadWatch.Advice(List.of(), null);
        for (int second = 0; second < passed && advice.lanes().isEmpty() && advice.note() == null; second++) {
            seconds++;
            List<SpreadWatch.Stream> streams = new ArrayList<>();
            for (int lane = 0; lane < ports.size(); lane++) {
                sent[slaveOf(ports.get(lane))] += LANE_BYTES;
                received[0] += LANE_BYTES;
                InetSocketAddress local = new InetSocketAddress(HERE, ports.get(lane));
                streams.add(new SpreadWatch.Stream(lane, new Lane.Ends(local, SERVER), seconds * LANE_BYTES));
            }
            for (int slave = 0; slave < 2; slave++) {
                write("sys/class/net/eth" + slave + "/statistics/tx_bytes", sent[slave] + "\n");
                write("sys/class/net/eth" + slave + "/statistics/rx_bytes", received[slave] + "\n");
            }
            advice = watch.look(seconds * SECOND, streams);
        }
        return advice;
    }

    private static BondPorts.SlaveLease present(BondPorts.@Nullable SlaveLease place) {
        assertThat(place).isNotNull();
        return place;
    }

    @Test
    void redialsBunchedLanesOverTheOtherSlave() throws IOException {
        BondPorts chosen = new BondPorts(root);
        Bond bond = new BondReader(new HostFiles(root)).below("lo");
        assertThat(bond).isNotNull();
        // Ports for lanes of another copy, so that by the ports alone the first slave would be next.
        present(chosen.place(bond, HERE, SERVER, 0));
        present(chosen.place(bond, HERE, SERVER, 0));
        lanesOn(0, 0, 0, 0, 0, 0, 0, 0);
        BondWatch watch = new BondWatch(root, Role.SENDER, chosen);
        assertThat(after(30, watch).lanes()).containsExactly(7, 6);
        for (int lane = 0; lane < 2; lane++) {
            InetSocketAddress from =
                    present(chosen.place(bond, HERE, SERVER, 0)).next();
            assertThat(from).isNotNull();
            assertThat(slaveOf(from.getPort())).isEqualTo(1);
        }
    }

    @Test
    void keepsLanesThatAreSpread() throws IOException {
        lanesOn(0, 1, 0, 1);
        assertThat(after(120, new BondWatch(root, Role.SENDER, null)).lanes()).isEmpty();
    }

    @Test
    void receiverMovesOneLaneByReceivedBytes() throws IOException {
        lanesOn(0, 1, 0, 1);
        BondWatch watch = new BondWatch(root, Role.RECEIVER, null);
        assertThat(after(12, watch).lanes()).isEmpty();
        assertThat(after(1, watch).lanes()).hasSize(1);
    }

    @Test
    void ignoresSlaveThatIsDownOrInAnotherAggregator() throws IOException {
        lanesOn(0, 0, 0, 0);
        write("sys/class/net/eth1/bonding_slave/ad_aggregator_id", "2\n");
        assertThat(after(60, new BondWatch(root, Role.SENDER, null)).lanes()).isEmpty();
        write("sys/class/net/eth1/bonding_slave/ad_aggregator_id", "1\n");
        write("sys/class/net/eth1/bonding_slave/mii_status", "down\n");
        assertThat(after(60, new BondWatch(root, Role.SENDER, null)).lanes()).isEmpty();
        write("sys/class/net/eth1/bonding_slave/mii_status", "up\n");
        assertThat(after(60, new BondWatch(root, Role.SENDER, null)).lanes()).isNotEmpty();
    }

    @Test
    void keepsSentLanesWhenHashIgnoresPorts() throws IOException {
        lanesOn(0, 0, 0, 0);
        write(BOND + "xmit_hash_policy", "layer2 0\n");
        assertThat(after(60, new BondWatch(root, Role.SENDER, null)).lanes()).isEmpty();
    }

    @Test
    void reportsNothingWithoutBond() throws IOException {
        lanesOn(0, 0, 0, 0);
        Files.delete(root.resolve(BOND + "mode"));
        assertThat(after(60, new BondWatch(root, Role.SENDER, null)).lanes()).isEmpty();
    }

    @Test
    void reportsOnceWhenMovesAreUsedUp() throws IOException {
        lanesOn(0, 0);
        BondWatch watch = new BondWatch(root, Role.RECEIVER, null);
        List<String> notes = new ArrayList<>();
        for (int look = 0; look < 40; look++) {
            SpreadWatch.Advice advice = after(20, watch);
            String note = advice.note();
            if (note != null) {
                notes.add(note);
            }
            for (int lane : advice.lanes()) {
                ports.set(lane, portTo(0, ports.get(lane) + 1));
            }
        }
        assertThat(notes).hasSize(1);
        assertThat(notes.get(0)).contains("lo", "rx_bytes");
    }
}
