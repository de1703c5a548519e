package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The packaged jar with lanes over RDMA: exit codes, and the resumption of a killed copy. */
@Tag("lab")
@Tag("rdma")
@Timeout(900)
final class LabRdmaTest {
    private static final String HERE = "10.77.0.1";
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    @BeforeEach
    void requireDevice() {
        assumeTrue(Files.exists(Path.of("/sys/class/infiniband/rxe0")), "this lab has no RDMA; --rdma");
    }

    private FdtServer serve(Object... more) {
        Path root = at.directory("remote");
        Object[] options = new Object[more.length + 6];
        System.arraycopy(
                new Object[] {"--root", root, "--transport", "rdma", "--clear-lanes", "allow"}, 0, options, 0, 6);
        System.arraycopy(more, 0, options, 6, more.length);
        return at.rootlessServer(HERE + ":0", root, options);
    }

    private static String carrierOf(Outcome outcome) {
        return String.valueOf(outcome.jsonOfType("start").get(0).get("transport"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "server"})
    void aKilledCopyIsResumedOverRdma(String victim) {
        FdtServer server = serve();
        Path source = Trees.file(at.path("local/file"), 6L * MIB + 4321, 5);
        FdtProcess client = at.startCopy(
                "--transport",
                "rdma",
                "--clear-lanes",
                "-P",
                2,
                "--chunk-size",
                "1MiB",
                "--rate-limit",
                "500kB/s",
                "--timeout",
                "20s",
                source,
                server.url("/"));
        // Progress counts acknowledged bytes, which are recorded in the journal.
        client.awaitAcknowledged(Workplace.LIMIT, MIB);
        if (victim.equals("client")) {
            client.killHard();
        } else {
            server.process().killHard();
            client.await(Workplace.LIMIT).expectExit(9);
            server = serve();
        }
        Outcome again = at.copy(
                        "--transport",
                        "rdma",
                        "--clear-lanes",
                        "-P",
                        2,
                        "--chunk-size",
                        "1MiB",
                        source,
                        server.url("/"))
                .expectExit(0);
        assertThat(carrierOf(again)).isEqualTo("rdma rxe0, clear");
        assertThat(again.number("bytes_resumed")).isGreaterThanOrEqualTo(MIB);
        Trees.assertSameFile(source, server.root().resolve("file"));
    }

    @Test
    void aCopyIsVerifiedAndAnotherKeyIsRefused() {
        FdtServer server = serve();
        Path tree = at.path("local/tree");
        Trees.file(tree.resolve("one"), 200_000, 1);
        Trees.file(tree.resolve("sub/two"), 3, 2);
        Outcome copy = at.copy("--transport", "rdma", "--clear-lanes", "-P", 2, tree, server.url("/"))
                .expectExit(0);
        assertThat(carrierOf(copy)).isEqualTo("rdma rxe0, clear");
        at.fdt("verify", tree, server.url("/tree")).expectExit(0);
        assertThat(Path.of("/proc/" + server.process().pid() + "/status"))
                .as("the server has given up other files")
                .content()
                .contains("NoNewPrivs:\t1");

        at.environment("FDT_HOME", at.directory("another").toString());
        at.copy("--transport", "rdma", "--clear-lanes", tree, server.url("/x")).expectExit(7);
        assertThat(server.root().resolve("x")).doesNotExist();
    }

    @Test
    void aNetworkTestSaysWhichWayItsMessagesWent() {
        FdtServer server = serve();
        Outcome outcome = at.fdt(
                        "nettest",
                        "sweep",
                        "--json",
                        "--transport",
                        "rdma",
                        "--sizes",
                        "1K,4K",
                        "--switch-at",
                        "2KiB",
                        "--messages",
                        8,
                        "--duration",
                        "500ms",
                        HERE + ":" + server.port())
                .expectExit(0);
        Map<String, Object> result = NettestResults.resultOf(outcome);
        assertThat(result).containsEntry("transport", "rdma").containsEntry("lanes", "rdma rxe0, clear");
        assertThat(NettestResults.objects(result, "points"))
                .extracting(point -> point.get("size_bytes") + " " + point.get("protocol"))
                .containsExactly("1024 eager", "4096 rendezvous", "1024 eager", "4096 rendezvous");
    }
}
