package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Paths that lose, delay, reorder, repeat and damage packets: what the kernel's netem does to them is what TCP and fdt see. */
@Tag("lab")
final class LabLossTest {
    private static final int LANES = 8;

    @RegisterExtension
    final Workplace at = new Workplace();

    private static void spoil(LabHost host) {
        List<Object> command = new ArrayList<>(List.of("tc", "qdisc", "add", "dev", "wire", "root", "netem"));
        command.addAll(List.of("limit", 10_000, "delay", "20ms", "5ms", "loss", "1%", "duplicate", "1%"));
        command.addAll(List.of("reorder", "99%", "50%", "corrupt", "0.5%"));
        host.ok(command.toArray());
    }

    @Test
    void pushOverAPathThatSpoilsPacketsBothWaysArrivesIdentical() {
        LabHost near = at.closing(LabHost.named("near"));
        LabHost far = at.closing(LabHost.named("far"));
        LabHost.join(near, far, "wire");
        near.up("wire", "10.78.0.1/24");
        far.up("wire", "10.78.0.2/24");
        spoil(near);
        spoil(far);

        Path tree = Trees.small(at.path("local/tree"), 1);
        Path root = at.directory("remote");
        FdtServer server = FdtServer.whenReady(
                at.track(FdtProcess.start(
                        far.inside(at.setup("server", "server", "--json", "--listen", "10.78.0.2:0", "--root", root)))),
                root);
        FdtProcess client = at.track(FdtProcess.start(near.inside(
                at.setup("client", "client", "--json", "-P", LANES, "--timeout", "60s", tree, server.url("/")))));
        client.await(Workplace.LIMIT).expectExit(0);
        Trees.assertSame(tree, root.resolve("tree"));

        // The path was as bad as it was meant to be, and damage did arrive: TCP's checksum refused it.
        assertThat(near.ok("tc", "-s", "qdisc", "show", "dev", "wire")).doesNotContain("dropped 0,");
        assertThat(near.tcp("RetransSegs")).isPositive();
        assertThat(far.tcp("InCsumErrors")).isPositive();
    }
}
