package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Copies between two servers that go on after the client that started them has gone, and {@code fdt jobs}. */
final class JobsTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** Starts a server with its own home and imports its key into the home of the third machine. */
    private FdtServer server(String name, Object... options) {
        at.environment("FDT_HOME", at.path("home-" + name).toString());
        Path root = at.directory(name);
        List<Object> words = new ArrayList<>(List.of("--root", root));
        words.addAll(List.of(options));
        FdtServer server = at.rootlessServer("127.0.0.1:0", root, words.toArray());
        know("me", server.port(), at.fdt("key", "show").expectExit(0).out().get(0));
        return server;
    }

    private void know(String user, int port, String line) {
        at.environment("FDT_HOME", at.path("home-" + user).toString());
        try {
            Path file = Files.writeString(at.path("line"), line + "\n");
            at.fdt("key", "import", "--server", "127.0.0.1:" + port, file).expectExit(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Outcome jobs(FdtServer source, Object... words) {
        List<Object> all = new ArrayList<>(List.of("jobs", "--json", "fdt://127.0.0.1:" + source.port()));
        all.addAll(List.of(words));
        return at.fdt(all.toArray());
    }

    /** Detaches a copy that runs until somebody ends it: it holds the test, not time. */
    private String detachEndless(FdtServer source, FdtServer target) {
        return at.process(
                        "client",
                        "--detach",
                        "--duration",
                        "24h",
                        "--rate-limit",
                        "80Mbit",
                        source.url("/dev/zero"),
                        target.url("/dev/null"))
                .expectExit(0)
                .out()
                .get(0);
    }

    @Test
    void theCopyOutlivesItsClientAndItsResultIsKept() {
        FdtServer source = server("a", "--third-party", "127.0.0.0/8");
        FdtServer target = server("b");
        Trees.small(source.root().resolve("tree"), 1);
        Trees.file(source.root().resolve("tree/big"), 5 * MIB + 17, 2);
        Trees.file(target.root().resolve("in/tree/gone"), 10, 3);
        Outcome detached = at.process(
                        "client",
                        "--json",
                        "--detach",
                        "--delete",
                        "--retry",
                        "12h",
                        source.url("/tree"),
                        target.url("/in/"))
                .expectExit(0);
        assertThat(detached.errText())
                .contains("--retry ends 60 minutes after the target's server has given up the session");
        String id = String.valueOf(detached.jsonOfType("job").get(0).get("id"));
        assertThat(detached.summary()).containsEntry("session", id).containsEntry("exit_code", 0L);

        Outcome waited = jobs(source, "wait", id).expectExit(0);
        assertThat(waited.summary())
                .containsEntry("outcome", "ok")
                .containsEntry("files_deleted", 1L)
                .containsKey("digest");
        assertThat(waited.number("bytes")).isGreaterThan(5 * MIB);
        Trees.assertSame(source.root().resolve("tree"), target.root().resolve("in/tree"));
        assertThat(jobs(source).expectExit(0).jsonOfType("job"))
                .singleElement()
                .satisfies(job -> assertThat(job)
                        .containsEntry("id", id)
                        .containsEntry("from", "/tree")
                        .containsEntry("state", "ended")
                        .containsEntry("outcome", "ok")
                        .containsEntry("exit_code", 0L)
                        .containsKeys("started", "ended", "bytes", "bits_per_second"));
    }

    @Test
    void theReceiptIsKeptWithTheJobAndVerifiesItsTarget() {
        FdtServer source = server("a", "--third-party", "127.0.0.0/8");
        FdtServer target = server("b");
        Trees.small(source.root().resolve("tree"), 1);
        Trees.file(source.root().resolve("tree/big"), 5 * MIB + 17, 2);
        Path receipt = at.path("receipt.json");
        Outcome detached = at.fdt("client", "--detach", "--receipt", receipt, source.url("/tree"), target.url("/in/"))
                .expectExit(0);
        String id = detached.out().get(0);
        assertThat(detached.errText()).contains("wait " + id + " --receipt " + receipt);
        assertThat(receipt).doesNotExist();

        jobs(source, "wait", id, "--receipt", receipt).expectExit(0);

        at.fdt("verify", "--receipt", receipt, target.root().resolve("in")).expectExit(0);
        Trees.file(target.root().resolve("in/tree/big"), 5 * MIB + 17, 3);
        at.fdt("verify", "--receipt", receipt, target.root().resolve("in")).expectExit(6);
        at.fdt("jobs", "--receipt", receipt, "fdt://127.0.0.1:" + source.port()).expectExit(2);
    }

    @Test
    void waitingHasTheExitCodeOfTheCopy() throws IOException {
        FdtServer source = server("a", "--third-party", "127.0.0.0/8");
        FdtServer target = server("b");
        Trees.small(source.root().resolve("tree"), 1);
        Trees.file(source.root().resolve("tree/taken"), 10, 2);
        Files.createDirectories(target.root().resolve("tree"));
        Files.writeString(target.root().resolve("tree/taken"), "other");
        String id = at.fdt("client", "--detach", "--existing", "fail", source.url("/tree"), target.url("/"))
                .expectExit(0)
                .out()
                .get(0);

        Outcome waited = jobs(source, "wait", id).expectExit(3);
        assertThat(waited.summary()).containsEntry("outcome", "partial").containsEntry("files_failed", 1L);
        assertThat(waited.errText()).contains("tree/taken");
        assertThat(Files.readString(target.root().resolve("tree/taken"))).isEqualTo("other");
    }

    @Test
    void aKilledClientLeavesTheCopyAndCancellingEndsIt() {
        FdtServer source = server("a", "--third-party", "127.0.0.0/8");
        FdtServer target = server("b");
        String id = detachEndless(source, target);

        // A client that waits is killed, too, and the copy goes on.
        FdtProcess waiting = at.start("waiting", "jobs", "--json", "fdt://127.0.0.1:" + source.port(), "wait", id);
        waiting.awaitLine(Workplace.LIMIT, text -> text.contains("\"progress\""));
        waiting.killHard();
        assertThat(jobs(source).jsonOfType("job"))
                .singleElement()
                .satisfies(job -> assertThat(job).containsEntry("state", "running"));

        assertThat(jobs(source, "cancel", id).expectExit(0).jsonOfType("job"))
                .singleElement()
                .satisfies(job -> assertThat(job)
                        .containsEntry("state", "ended")
                        .containsEntry("outcome", "interrupted")
                        .containsEntry("exit_code", 130L));
        jobs(source, "wait", id).expectExit(130);
    }

    @Test
    void aCancelledCopyLeavesNoFileAndIsResumed() {
        FdtServer source = server("a", "--third-party", "127.0.0.0/8");
        FdtServer target = server("b");
        Trees.file(source.root().resolve("big"), 60 * MIB, 1);
        Object[] copy = {"client", "--chunk-size", "128KiB", "--json", source.url("/big"), target.url("/big")};
        List<Object> slowly = new ArrayList<>(List.of("client", "--detach", "--rate-limit", "1Mbit"));
        slowly.addAll(List.of(copy).subList(1, copy.length));
        Outcome detached = at.fdt(slowly.toArray()).expectExit(0);
        String id = String.valueOf(detached.jsonOfType("job").get(0).get("id"));
        jobs(source, "cancel", id).expectExit(0);
        // The target's server has its own end of the session, and until then the file is locked.
        String start = target.process()
                .awaitLine(
                        Workplace.LIMIT,
                        text -> text.contains("\"session_start\"") && text.contains("\"push to /big\""));
        Object session = Json.object(start).get("session");
        target.process()
                .awaitLine(
                        Workplace.LIMIT,
                        text -> text.contains("\"session_end\"")
                                && session.equals(Json.object(text).get("session")));

        assertThat(target.root().resolve("big")).doesNotExist();
        at.fdt(copy).expectExit(0);
        Trees.assertSameFile(source.root().resolve("big"), target.root().resolve("big"));
    }

    @Test
    void anotherKeySeesNothingAndARevokedKeyEndsItsJobs() {
        FdtServer source = server("a", "--third-party", "127.0.0.0/8");
        FdtServer target = server("b");
        at.environment("FDT_HOME", at.path("home-a").toString());
        String mine = at.fdt("key", "create", "mine").expectExit(0).out().get(0);
        String theirs = at.fdt("key", "create", "theirs").expectExit(0).out().get(0);
        know("other", source.port(), theirs);
        know("me", source.port(), mine);
        String id = detachEndless(source, target);

        at.environment("FDT_HOME", at.path("home-other").toString());
        assertThat(jobs(source).expectExit(0).jsonOfType("job")).isEmpty();
        jobs(source, "wait", id).expectExit(4);
        Outcome unseen = jobs(source, "cancel", id).expectExit(4);
        assertThat(unseen.errText()).contains("no job " + id);

        at.environment("FDT_HOME", at.path("home-a").toString());
        at.fdt("key", "revoke", "mine").expectExit(0);
        source.process()
                .awaitLine(
                        Workplace.LIMIT,
                        text -> text.contains("\"session_end\"") && text.contains("\"session\":\"" + id + "\""));
        target.process()
                .awaitLine(Workplace.LIMIT, text -> text.contains("\"session_end\"") && text.contains("\"exit_code\""));
    }

    /** The session between the servers ends, so the receiving server must admit the lent key again. */
    @Test
    void aCopyIsRetriedAfterBothServersHaveGivenUpTheirSession() {
        FdtServer source = server("a", "--third-party", "127.0.0.0/8");
        FdtServer target = server("b");
        FaultProxy proxy = at.closing(FaultProxy.before(target.port())).throttle(4 * MIB);
        at.environment("FDT_HOME", at.path("home-b").toString());
        know("me", proxy.port(), at.fdt("key", "show").expectExit(0).out().get(0));
        Trees.file(source.root().resolve("big"), 20 * MIB, 1);
        CountDownLatch cut = new CountDownLatch(1);
        proxy.when(6 * MIB, () -> {
            proxy.refuseNew();
            proxy.cutAll(Fault.Ending.RESET);
            cut.countDown();
        });
        String id = at.process(
                        "client",
                        "--detach",
                        "--retry",
                        "1h",
                        "--timeout",
                        "15s",
                        "--chunk-size",
                        "128KiB",
                        source.url("/big"),
                        "fdt://127.0.0.1:" + proxy.port() + "/big")
                .expectExit(0)
                .out()
                .get(0);
        Await.until("the path is cut", cut);
        target.process()
                .awaitLine(
                        Workplace.LIMIT,
                        text -> text.contains("\"session_end\"") && text.contains("\"outcome\":\"failed\""));
        proxy.acceptNew();

        Outcome waited = jobs(source, "wait", id).expectExit(0);
        assertThat(waited.number("bytes_resumed")).isPositive();
        Trees.assertSameFile(source.root().resolve("big"), target.root().resolve("big"));
        assertThat(target.process().transcript().lines().filter(line -> line.contains("\"push to /big\"")))
                .hasSizeGreaterThan(1);
    }

    @Test
    void optionsThatNeedTheClientAreRefused() {
        Map<List<Object>, String> refused = Map.of(
                List.of("--detach", "x", "fdt://127.0.0.1/y"), "only to a copy between two servers",
                List.of("--detach", "--dry-run", "fdt://a/x", "fdt://b/y"), "--dry-run does not apply to --detach",
                List.of("--detach", "--manifest", "md5=r", "fdt://a/x", "fdt://b/y"), "--manifest does not apply");
        refused.forEach((words, why) -> {
            List<Object> all = new ArrayList<>(List.of("client"));
            all.addAll(words);
            assertThat(at.fdt(all.toArray()).expectExit(2).errText()).contains(why);
        });
    }
}
