package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Lanes choose their ports by the hash of the bond. The counters of the real kernel show whether the hash is right. */
@Tag("lab")
final class LabSpreadTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** Measures connections with ports from the kernel, for comparison. */
    private static double shareOfPlainConnections(LabHost near, LabHost far) {
        far.ok("iperf3", "-s", "-1", "-D");
        WireShare sent = WireShare.ofSent(near);
        near.ok("bash", "-c", "for i in {1..50}; do sleep 0.2; iperf3 -c 10.78.0.2 -P 8 -n 1M && exit 0; done; exit 1");
        return sent.share();
    }

    @Test
    void lanesSpreadEvenlyAlsoAfterAWireFailure() throws IOException {
        LabHost near = at.closing(LabHost.named("near"));
        LabHost far = at.closing(LabHost.named("far"));
        LabHost.join(near, far, "wire0");
        LabHost.join(near, far, "wire1");
        LabBondTest.bond(near, "10.78.0.1/24");
        LabBondTest.bond(far, "10.78.0.2/24");
        System.out.printf("iperf3, 8 streams: %.3f of the bytes on wire0%n", shareOfPlainConnections(near, far));
        FdtServer server = far.serve(at, "10.78.0.2");
        Path tree = at.path("local/tree");
        Trees.file(tree.resolve("big"), 192L * MIB, 1);

        FdtProcess copy = near.startCopy(
                at,
                "-P",
                8,
                "--timeout",
                "120s",
                "--rate-limit",
                "1MiB",
                "--chunk-size",
                "128KiB",
                tree,
                server.url("/"));
        LabBondTest.await(
                "the link and all lanes are there and at work",
                copy,
                () -> near.tcp("CurrEstab") == 9 && near.sentBytes("bond") > 4 * MIB);
        WireShare.ofSent(near).assertHalf("with both wires", copy);

        near.ok("ip", "link", "set", "wire0", "down");
        LabBondTest.await("both bonds see it", copy, () -> !near.isUp("bond", "wire0") && !far.isUp("bond", "wire0"));
        long down0 = near.sentBytes("wire0");
        long down1 = near.sentBytes("wire1");
        LabBondTest.await("the other wire carries on", copy, () -> near.sentBytes("wire1") > down1 + 2 * MIB);
        assertThat(near.sentBytes("wire0")).isEqualTo(down0);

        near.ok("ip", "link", "set", "wire0", "up");
        LabBondTest.await(
                "both bonds see that, too", copy, () -> near.isUp("bond", "wire0") && far.isUp("bond", "wire0"));
        WireShare.ofSent(near).assertHalf("after the wire is back", copy);

        LabBondTest.finish(at, copy, near, tree, server.url("/"));
        Trees.assertSame(tree, server.root().resolve("tree"));
    }
}
