package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A path that delays, loses, reorders, duplicates and corrupts packets in both directions, as far as the kernel's netem
 * can.
 */
@Tag("lab")
final class LabLossTest {
    private static final int LANES = 4;

    @RegisterExtension
    final Workplace at = new Workplace();

    private static void spoil(LabHost host) {
        String netem = "limit 10000 delay 20ms reorder 5% 25% loss 1% duplicate 1% corrupt 0.5%";
        host.ok("bash", "-c", "tc qdisc add dev wire root netem " + netem);
    }

    @Test
    void pushSurvivesPacketLossAndCorruption() throws IOException {
        LabHost near = at.closing(LabHost.named("near"));
        LabHost far = at.closing(LabHost.named("far"));
        LabHost.join(near, far, "wire");
        near.up("wire", "10.78.0.1/24");
        far.up("wire", "10.78.0.2/24");
        spoil(near);
        spoil(far);
        FdtServer server = far.serve(at, "10.78.0.2");
        Path tree = Trees.small(at.path("local/tree"), 1);

        FdtProcess client = near.startCopy(at, "-P", LANES, "--timeout", "60s", tree, server.url("/"));
        client.await(Workplace.LIMIT).expectExit(0);
        Trees.assertSame(tree, server.root().resolve("tree"));

        // The path was as bad as intended, and corrupted packets did arrive: TCP's checksum rejected them.
        assertThat(near.ok("tc", "-s", "qdisc", "show", "dev", "wire")).doesNotContain("dropped 0,");
        assertThat(near.tcp("RetransSegs")).isPositive();
        assertThat(far.tcp("InCsumErrors")).isPositive();
    }
}
