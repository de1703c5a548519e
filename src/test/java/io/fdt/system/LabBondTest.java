package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two hosts connected by two bonded wires. The bond spreads lanes by their ports, and moves them if a wire fails. */
@Tag("lab")
final class LabBondTest {
    private static final int MIB = 1 << 20;
    private static final int LANES = 4;
    private static final Duration LOOK_EVERY = Duration.ofMillis(50);

    @RegisterExtension
    final Workplace at = new Workplace();

    static void bond(LabHost host, String address) {
        String options = "mode balance-xor xmit_hash_policy layer3+4 miimon 100";
        host.ok("bash", "-c", "ip link add bond type bond " + options);
        for (String wire : List.of("wire0", "wire1")) {
            host.ok("ip", "link", "set", wire, "master", "bond");
            host.ok("ip", "link", "set", wire, "up");
        }
        host.up("bond", address);
    }

    /** Waits for a condition while the copy runs. Fails if the copy ends before. */
    static void await(String what, FdtProcess copy, BooleanSupplier condition) {
        Await.until(what, Workplace.LIMIT, () -> {
            if (!copy.isAlive()) {
                throw new AssertionError("the copy ended before this: " + what + "\n" + copy.transcript());
            }
            // In emulation, each check takes CPU time from the copy.
            Await.pass(LOOK_EVERY);
            return condition.getAsBoolean();
        });
    }

    /** Interrupts a copy that is longer than the test needs on any machine. A second copy moves the rest. */
    static Outcome finish(Workplace at, FdtProcess copy, LabHost near, Object... paths) {
        copy.signal("INT");
        Outcome outcome = copy.await(Workplace.LIMIT).expectExit(130);
        near.startCopy(at, paths).await(Workplace.LIMIT).expectExit(0);
        return outcome;
    }

    @Test
    void copyGoesOnWhileAWireOfTheBondFailsAndComesBack() throws IOException {
        LabHost near = at.closing(LabHost.named("near"));
        LabHost far = at.closing(LabHost.named("far"));
        LabHost.join(near, far, "wire0");
        LabHost.join(near, far, "wire1");
        bond(near, "10.78.0.1/24");
        bond(far, "10.78.0.2/24");
        FdtServer server = far.serve(at, "10.78.0.2");
        Path tree = at.path("local/tree");
        Trees.file(tree.resolve("big"), 128L * MIB, 1);
        Trees.manyFiles(tree.resolve("many"), 50, 5000);

        FdtProcess copy = near.startCopy(at, "-P", LANES, "--rate-limit", "2MiB", tree, server.url("/"));
        await("4 MiB are under way", copy, () -> near.sentBytes("bond") > 4 * MIB);
        await("the link and all lanes are there", copy, () -> near.tcp("CurrEstab") == 1 + LANES);
        long opened = near.tcp("ActiveOpens");
        // Use the wire that carries more: the ports of all lanes may map to one wire.
        String failing = near.sentBytes("wire0") > near.sentBytes("wire1") ? "wire0" : "wire1";
        String other = failing.equals("wire0") ? "wire1" : "wire0";
        near.ok("ip", "link", "set", failing, "down");
        await("both bonds see it", copy, () -> !near.isUp("bond", failing) && !far.isUp("bond", failing));
        long sentWhenDown = near.sentBytes(failing);
        long otherWhenDown = near.sentBytes(other);
        await("the other wire carries on", copy, () -> near.sentBytes(other) > otherWhenDown + 4 * MIB);
        assertThat(near.sentBytes(failing)).isEqualTo(sentWhenDown);

        near.ok("ip", "link", "set", failing, "up");
        await("the wire carries lanes again", copy, () -> near.sentBytes(failing) > sentWhenDown + MIB);

        // TCP retransmitted the lost packets. No connection was lost, so none was opened again.
        assertThat(near.tcp("ActiveOpens")).isEqualTo(opened);
        finish(at, copy, near, tree, server.url("/"));
        Trees.assertSame(tree, server.root().resolve("tree"));
    }
}
