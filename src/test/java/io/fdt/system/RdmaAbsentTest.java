package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.File;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A host without RDMA: a client that requires RDMA gets a one-sentence error, and one that prefers it uses TCP. */
class RdmaAbsentTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    @BeforeEach
    void requireNoDevice() {
        String[] devices = new File("/sys/class/infiniband").list();
        assumeFalse(devices != null && devices.length > 0, "this host has RDMA");
    }

    private static void assertOneSentence(Outcome outcome) {
        outcome.expectExit(8);
        assertThat(outcome.err())
                .containsExactly(
                        "fdt: no lanes over RDMA: this host has no RDMA device; use --transport tcp, or see docs/rdma.md");
    }

    @Test
    void requiredRdmaFailsInOneSentenceWithExitCode8() {
        FdtServer server = at.server();
        Path file = Trees.file(at.path("local/file"), 1000, 1);
        assertOneSentence(at.fdt("client", "--transport", "rdma", file, server.url("/")));
        assertOneSentence(at.fdt("client", "--transport", "rdma", "--clear-lanes", file, server.url("/")));
        assertOneSentence(at.fdt("nettest", "--transport", "rdma", "127.0.0.1:" + server.port()));
        assertOneSentence(at.fdt("server", "--listen", "127.0.0.1:0", "--root", server.root(), "--transport", "rdma"));
    }

    @Test
    void preferredRdmaFallsBackToTcpWithTheReason() {
        FdtServer server = at.server("--transport", "auto");
        server.process().awaitErrorLine(Workplace.LIMIT, line -> line.contains("no lanes over RDMA"));
        Path file = Trees.file(at.path("local/file"), 1000, 1);
        Outcome asked = at.fdt("client", "--transport", "auto", file, server.url("/asked"))
                .expectExit(0);
        assertThat(asked.errText()).contains("lanes go over TCP: this host has no RDMA device");
        Outcome silent = at.fdt("client", file, server.url("/silent")).expectExit(0);
        assertThat(silent.errText()).doesNotContain("RDMA");
    }
}
