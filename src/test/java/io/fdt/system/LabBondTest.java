package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two hosts with two wires, bonded: lanes are spread by their ports, and the bond moves them when a wire fails. */
@Tag("lab")
final class LabBondTest {
    private static final int MIB = 1 << 20;
    private static final int LANES = 8;

    @RegisterExtension
    final Workplace at = new Workplace();

    private static void bond(LabHost host, String address) {
        host.ok(
                "ip",
                "link",
                "add",
                "bond",
                "type",
                "bond",
                "mode",
                "balance-xor",
                "xmit_hash_policy",
                "layer3+4",
                "miimon",
                100);
        for (String wire : new String[] {"wire0", "wire1"}) {
            host.ok("ip", "link", "set", wire, "master", "bond");
            host.ok("ip", "link", "set", wire, "up");
        }
        host.up("bond", address);
    }

    private static long sent(LabHost host, String wire) {
        return host.counter(wire, "tx_bytes");
    }

    private static void awaitState(LabHost host, String wire, String state) {
        Await.until(
                wire + " is " + state,
                Workplace.LIMIT,
                () -> host.ok("cat", "/sys/class/net/" + wire + "/bonding_slave/mii_status")
                        .strip()
                        .equals(state));
    }

    private static void awaitSent(LabHost host, String wire, long bytes) {
        Await.until(wire + " has sent " + bytes, Workplace.LIMIT, () -> sent(host, wire) >= bytes);
    }

    @Test
    void copyGoesOnWhileAWireOfTheBondFailsAndComesBack() {
        LabHost near = at.closing(LabHost.named("near"));
        LabHost far = at.closing(LabHost.named("far"));
        LabHost.join(near, far, "wire0");
        LabHost.join(near, far, "wire1");
        bond(near, "10.78.0.1/24");
        bond(far, "10.78.0.2/24");
        awaitState(near, "wire0", "up");
        awaitState(near, "wire1", "up");

        Path tree = at.path("local/tree");
        Trees.file(tree.resolve("big"), 40L * MIB, 1);
        Trees.small(tree, 2);
        Path root = at.directory("remote");
        FdtServer server = FdtServer.whenReady(
                at.track(FdtProcess.start(
                        far.inside(at.setup("server", "server", "--json", "--listen", "10.78.0.2:0", "--root", root)))),
                root);
        // Slow enough that it is still at it when the wire is back.
        FdtProcess client = at.track(FdtProcess.start(near.inside(
                at.setup("client", "client", "--json", "-P", LANES, "--rate-limit", "3MiB", tree, server.url("/")))));

        Await.until("6 MiB are under way", Workplace.LIMIT, () -> sent(near, "wire0") + sent(near, "wire1") > 6 * MIB);
        // The one that carries more lanes, whatever ports they have: all of them may have come to one wire.
        String failing = sent(near, "wire0") > sent(near, "wire1") ? "wire0" : "wire1";
        String other = failing.equals("wire0") ? "wire1" : "wire0";
        near.ok("ip", "link", "set", failing, "down");
        awaitState(near, failing, "down");
        awaitState(far, failing, "down");
        long stopped = sent(near, failing);
        awaitSent(near, other, sent(near, other) + 6 * MIB);
        assertThat(sent(near, failing)).isEqualTo(stopped);

        near.ok("ip", "link", "set", failing, "up");
        awaitState(near, failing, "up");
        awaitSent(near, failing, stopped + MIB);
        assertThat(client.isAlive()).isTrue();

        Outcome outcome = client.await(Workplace.LIMIT).expectExit(0);
        Trees.assertSame(tree, root.resolve("tree"));
        // TCP sent again what was lost; no lane was.
        assertThat(outcome.number("bytes_resent")).isZero();
    }
}
