package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two NICs without a bond: {@code --bind} with one address of each NIC spreads lanes over both. */
@Tag("lab")
@Timeout(900)
final class LabBindTest {
    private static final int MIB = 1 << 20;
    private static final int LANES = 6;
    private static final String SERVER = "10.79.0.2";

    @RegisterExtension
    final Workplace at = new Workplace();

    /** Adds a wire with its own network. Packets from its address are routed over it. */
    private static void wire(LabHost near, LabHost far, int number) {
        String wire = "wire" + number;
        String network = "10.78." + number;
        LabHost.join(near, far, wire);
        near.up(wire, network + ".1/24");
        far.up(wire, network + ".2/24");
        String table = String.valueOf(100 + number);
        near.ok("ip", "route", "add", SERVER, "via", network + ".2", "table", table);
        near.ok("ip", "rule", "add", "from", network + ".1", "table", table);
    }

    private static long connectionsFrom(LabHost near, String address) {
        return near.ok("ss", "-Htn", "state", "established", "src", address)
                .lines()
                .count();
    }

    @Test
    void lanesUseAllBoundAddressesEqually() throws IOException {
        LabHost near = at.closing(LabHost.named("near"));
        LabHost far = at.closing(LabHost.named("far"));
        wire(near, far, 0);
        wire(near, far, 1);
        near.ok("ip", "route", "add", SERVER, "via", "10.78.0.2");
        far.ok("ip", "address", "add", SERVER + "/32", "dev", "lo");
        FdtServer server = far.serve(at, SERVER);
        Path tree = at.path("local/tree");
        Trees.file(tree.resolve("big"), 96L * MIB, 1);

        FdtProcess copy = near.startCopy(
                at,
                "-P",
                LANES,
                "--bind",
                "10.78.0.1,10.78.1.1",
                "--timeout",
                "120s",
                "--rate-limit",
                "2MiB",
                "--chunk-size",
                "128KiB",
                tree,
                server.url("/"));
        LabBondTest.await("the link and all lanes are there", copy, () -> near.tcp("CurrEstab") == 1 + LANES);
        // The link uses the first address.
        assertThat(connectionsFrom(near, "10.78.0.1")).isEqualTo(1 + LANES / 2);
        assertThat(connectionsFrom(near, "10.78.1.1")).isEqualTo(LANES / 2);
        WireShare.ofSent(near).assertHalf("--bind over two NICs", copy);

        LabBondTest.finish(at, copy, near, tree, server.url("/"));
        Trees.assertSame(tree, server.root().resolve("tree"));
    }
}
