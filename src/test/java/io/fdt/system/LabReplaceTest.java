package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Lanes that share one wire in the middle of a copy are replaced until both wires carry the same load. The test makes
 * them share a wire: while the client dials, it reserves every port that maps to the other wire.
 */
@Tag("lab")
@Timeout(900)
final class LabReplaceTest {
    private static final int MIB = 1 << 20;
    private static final int LANES = 4;
    private static final int FIRST_PORT = 40_000;

    /**
     * The range is small enough for sysctl to write the list of reserved ports in one piece of 1 KiB. A longer list
     * would be split in the middle of a number.
     */
    private static final int LAST_PORT = 40_255;

    @RegisterExtension
    final Workplace at = new Workplace();

    /**
     * Returns the wire of a connection from 10.78.0.1 to 10.78.0.2 by layer3+4, computed independently of fdt. With two
     * wires it is the second bit of all bytes of addresses and ports combined by XOR. The bytes of the addresses
     * contribute 1 and 2.
     */
    private static int wireOf(int localPort, int serverPort) {
        int folded = localPort >> 8 ^ localPort ^ serverPort >> 8 ^ serverPort ^ 1 ^ 2;
        return folded >> 1 & 1;
    }

    /** Leaves the host only the ports that map to the first wire. */
    private static void allowFirstWireOnly(LabHost near, int serverPort) {
        String others = IntStream.rangeClosed(FIRST_PORT, LAST_PORT)
                .filter(port -> wireOf(port, serverPort) != 0)
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(","));
        near.ok("sysctl", "-q", "-w", "net.ipv4.ip_local_port_range=" + FIRST_PORT + " " + LAST_PORT);
        near.ok("sysctl", "-q", "-w", "net.ipv4.ip_local_reserved_ports=" + others);
    }

    /**
     * Lets little data wait in sockets. Otherwise a slow server leaves the whole file in buffers, and then what a lane
     * has taken says nothing about what its wire carries.
     */
    private static void limitBuffers(LabHost... hosts) {
        for (LabHost host : hosts) {
            host.ok("sysctl", "-q", "-w", "net.ipv4.tcp_wmem=4096 65536 262144");
            host.ok("sysctl", "-q", "-w", "net.ipv4.tcp_rmem=4096 65536 262144");
        }
    }

    private static void allowAllWires(LabHost near) {
        near.ok("sysctl", "-q", "-w", "net.ipv4.ip_local_reserved_ports=1");
    }

    private FdtProcess startCopy(LabHost near, FdtServer server, Path tree) {
        return near.startCopy(
                at,
                "-P",
                LANES,
                "--timeout",
                "120s",
                "--rate-limit",
                "1MiB",
                // A lane ends when all of its data is acknowledged. In emulation each acknowledgement takes long, and
                // so do hashes and flushing.
                "--chunk-size",
                "512KiB",
                "--digest",
                "none",
                "--durable",
                "none",
                tree,
                server.url("/"));
    }

    @Test
    void bunchedLanesAreSpreadAlsoAfterAWireFailure() throws IOException {
        LabHost near = at.closing(LabHost.named("near"));
        LabHost far = at.closing(LabHost.named("far"));
        LabHost.join(near, far, "wire0");
        LabHost.join(near, far, "wire1");
        LabBondTest.bond(near, "10.78.0.1/24");
        LabBondTest.bond(far, "10.78.0.2/24");
        limitBuffers(near, far);
        FdtServer server = far.serve(at, "10.78.0.2");
        allowFirstWireOnly(near, server.port());
        Path tree = at.path("local/tree");
        // The copy is long enough to cover all checks, even though an emulated host is slow.
        Trees.file(tree.resolve("big"), 160L * MIB, 1);

        FdtProcess copy = startCopy(near, server, tree);
        LabBondTest.await(
                "the link and all lanes are there and at work",
                copy,
                () -> near.tcp("CurrEstab") == 1 + LANES && near.sentBytes("bond") > MIB);
        assertThat(WireShare.ofSent(near).shareOf(2 * MIB, "while lanes bunch", copy))
                .isGreaterThan(0.95);

        allowAllWires(near);
        long opened = near.tcp("ActiveOpens");
        LabBondTest.await(
                "half of the lanes are replaced",
                copy,
                () -> near.tcp("ActiveOpens") >= opened + LANES / 2 && near.tcp("CurrEstab") == 1 + LANES);
        WireShare.ofSent(near).assertHalf("after lanes moved", copy);

        near.ok("ip", "link", "set", "wire0", "down");
        LabBondTest.await("both bonds see it", copy, () -> !near.isUp("bond", "wire0") && !far.isUp("bond", "wire0"));
        long down1 = near.sentBytes("wire1");
        LabBondTest.await("the other wire carries on", copy, () -> near.sentBytes("wire1") > down1 + 2 * MIB);
        near.ok("ip", "link", "set", "wire0", "up");
        LabBondTest.await(
                "both bonds see that, too", copy, () -> near.isUp("bond", "wire0") && far.isUp("bond", "wire0"));
        WireShare.ofSent(near).assertHalf("after the wire is back", copy);

        // An interrupted client on an emulated host may be ended before its summary, so others count.
        assertThat(near.tcp("ActiveOpens")).as("lanes that were dialled again").isEqualTo(opened + LANES / 2);
        LabBondTest.finish(at, copy, near, tree, server.url("/"));
        assertThat(server.process().awaitLine(Workplace.LIMIT, line -> line.contains("session_end")))
                .contains("\"outcome\":\"interrupted\"", "\"bytes_resent\":0,");
        Trees.assertSame(tree, server.root().resolve("tree"));
    }

    /**
     * One wire to a switch, which has two wires to the server and uses its own hash. Only the server sees the
     * distribution.
     */
    @Test
    void lanesThatTheSwitchBunchesBeforeTheServerAreReplaced() throws IOException {
        LabHost near = at.closing(LabHost.named("near"));
        LabHost middle = at.closing(LabHost.named("switch"));
        LabHost far = at.closing(LabHost.named("far"));
        LabHost.join(near, middle, "uplink");
        LabHost.join(middle, far, "wire0");
        LabHost.join(middle, far, "wire1");
        near.up("uplink", "10.78.0.1/24");
        LabBondTest.bond(middle, "10.78.1.9/24");
        LabBondTest.bond(far, "10.78.0.2/24");
        middle.ok("ip", "link", "add", "bridge", "type", "bridge");
        for (String port : new String[] {"uplink", "bond"}) {
            middle.ok("ip", "link", "set", port, "master", "bridge");
            middle.ok("ip", "link", "set", port, "up");
        }
        middle.ok("ip", "link", "set", "bridge", "up");
        limitBuffers(near, far);
        FdtServer server = far.serve(at, "10.78.0.2");
        allowFirstWireOnly(near, server.port());
        Path tree = at.path("local/tree");
        Trees.file(tree.resolve("big"), 256L * MIB, 1);

        FdtProcess copy = startCopy(near, server, tree);
        LabBondTest.await(
                "the link and all lanes are there and at work",
                copy,
                () -> near.tcp("CurrEstab") == 1 + LANES && far.receivedBytes("bond") > MIB);
        assertThat(WireShare.ofReceived(far).shareOf(2 * MIB, "while lanes bunch", copy))
                .isGreaterThan(0.95);

        allowAllWires(near);
        long opened = near.tcp("ActiveOpens");
        boolean even = false;
        while (!even) {
            // It is a failure if the copy ends before.
            double share = WireShare.ofReceived(far).shareOf(8 * MIB, "while lanes are replaced", copy);
            even = share > 0.45 && share < 0.55;
        }
        WireShare.ofReceived(far).assertHalf("afterwards", copy);
        assertThat(near.tcp("ActiveOpens")).as("lanes were dialled again").isGreaterThan(opened);
        copy.signal("INT");
        copy.await(Workplace.LIMIT).expectExit(130);
    }
}
