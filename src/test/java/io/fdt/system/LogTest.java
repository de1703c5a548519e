package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import io.fdt.system.Fault.Ending;
import io.fdt.system.Fault.Way;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log of real processes and their response to SIGUSR1. Neither ever delays a copy. */
final class LogTest {
    private static final int MIB = 1 << 20;
    private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";

    @RegisterExtension
    final Workplace at = new Workplace();

    /** Parses every line of stderr. Each line must be an object with the common fields. */
    private static List<Map<String, Object>> log(Outcome outcome) {
        List<Map<String, Object>> lines =
                outcome.err().stream().map(Json::object).toList();
        assertThat(lines).allSatisfy(line -> {
            assertThat(line.keySet()).startsWith("time", "level", "event", "session", "peer", "message");
            assertThat((String) line.get("time")).matches(TIME);
            assertThat(line.get("level")).isIn("error", "warn", "info", "debug");
        });
        return lines;
    }

    private static List<Map<String, Object>> of(String event, List<Map<String, Object>> log) {
        return log.stream().filter(line -> event.equals(line.get("event"))).toList();
    }

    private Outcome stopped(FdtServer server) {
        server.process().signal("TERM");
        return server.process().await(Workplace.LIMIT).expectExit(0);
    }

    @Test
    void jsonLogsOfBothEndsAgreeForAnyFileNames() throws IOException {
        FdtServer server = at.server("--log-json", "--log-level", "debug");
        Path tree = Trees.small(at.path("tree"), 1);
        Files.writeString(tree.resolve("x\n{\"event\":\"forged\"}"), "1");
        Files.writeString(tree.resolve("\u001b[31mred\r"), "2");

        Outcome client = at.copy("--log-json", "--log-level", "debug", "-P", 3, tree, server.url("/in/"))
                .expectExit(0);
        Outcome served = stopped(server);

        List<Map<String, Object>> there = log(served);
        List<Map<String, Object>> here = log(client);
        Object session = client.summary().get("session");
        assertThat(there.get(0)).containsEntry("event", "server_start").containsEntry("port", (long) server.port());
        assertThat(of("session_start", there))
                .singleElement()
                .satisfies(line -> assertThat(line).containsEntry("session", session));
        // The others may come too late for so small a tree.
        assertThat(of("lane_joined", there)).hasSizeBetween(1, 3);
        assertThat(of("lane_joined", here)).hasSizeBetween(1, 3);
        assertThat(of("lane_lost", there)).isEmpty();
        assertThat(of("session_end", there))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .containsEntry("session", session)
                        .containsEntry("exit_code", 0L)
                        .containsEntry("bytes_sent", client.summary().get("bytes_sent")));
        assertThat(of("session_end", here))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .containsEntry("session", session)
                        .containsEntry("digest", client.summary().get("digest")));
        assertThat(of("file", here)).hasSize((int) client.number("files"));
        assertThat(of("file", here))
                .anySatisfy(line -> assertThat((String) line.get("path")).contains("forged"));
        assertThat(of("forged", here)).isEmpty();
        assertThat(there.get(there.size() - 1))
                .containsEntry("event", "server_stop")
                .containsEntry("exit_code", 0L);
    }

    @Test
    void aLaneThatIsCutIsLoggedAsLostAndAsBack() {
        FdtServer server = at.server("--log-json");
        FaultProxy proxy = at.closing(FaultProxy.before(server.port())).throttle(16L * MIB);
        proxy.script(new Fault.Cut(2, Way.TO_SERVER, 2 * MIB, Ending.RESET));
        // The others must not move everything before this lane is cut.
        proxy.script(new Fault.Stall(1, Way.TO_SERVER, 4 * MIB), new Fault.Stall(3, Way.TO_SERVER, 4 * MIB));
        Path big = Trees.file(at.path("big"), 40L * MIB, 1);

        FdtProcess process =
                at.startCopy("--log-json", "--chunk-size", "1MiB", "-P", 3, big, server.urlAt(proxy.port(), "/big"));
        // The other lanes must not move the rest before this lane is back.
        Await.until("the lane is cut", Workplace.LIMIT, () -> proxy.isCut(2));
        proxy.throttle(MIB / 2);
        process.awaitErrorLine(Workplace.LIMIT, line -> line.contains("\"lane_reopened\""));
        server.process().awaitErrorLine(Workplace.LIMIT, line -> line.contains("\"lane_reopened\""));
        proxy.throttle(0);
        proxy.resumeUntilEnd(process);
        Outcome client = process.await(Workplace.LIMIT).expectExit(0);
        Outcome served = stopped(server);

        for (Outcome end : List.of(client, served)) {
            List<Map<String, Object>> log = log(end);
            Map<String, Object> lost = of("lane_lost", log).get(0);
            assertThat(lost).containsEntry("level", "warn").containsKey("reason");
            assertThat(of("lane_reopened", log))
                    .anySatisfy(line -> assertThat(line).containsEntry("lane", lost.get("lane")));
        }
    }

    @Test
    void resumingIsLogged() {
        FdtServer server = at.server("--log-json");
        Path big = Trees.file(at.path("big"), 64L * MIB, 1);
        at.copy("--max-bytes", "40MiB", "-P", 2, big, server.url("/big")).expectExit(10);

        Outcome again = at.copy("--log-json", "-P", 2, big, server.url("/big")).expectExit(0);

        assertThat(of("resume", log(again)))
                .singleElement()
                .satisfies(line -> assertThat(line).containsEntry("bytes_resumed", again.number("bytes_resumed")));
        assertThat(of("resume", log(stopped(server)))).hasSize(1);
    }

    @Test
    void keysThatComeAndGoAndPeersThatAreRefusedAreLoggedAndNoSecretIs() throws IOException {
        FdtServer server = at.server("--log-json", "--log-level", "debug");
        String line = at.fdt("key", "create", "guest").expectExit(0).out().get(0);
        FdtProcess process = server.process();
        process.awaitErrorLine(Workplace.LIMIT, text -> text.contains("\"key_created\"") && text.contains("\"guest\""));
        Path file = Trees.file(at.path("f"), 100, 1);
        at.environment("FDT_KEY", line);
        List<Outcome> clients = new ArrayList<>();
        clients.add(at.copy("--log-json", "--log-level", "debug", "-v", file, server.url("/f"))
                .expectExit(0));
        at.fdt("key", "revoke", "guest").expectExit(0);
        process.awaitErrorLine(Workplace.LIMIT, text -> text.contains("\"key_revoked\"") && text.contains("\"guest\""));
        clients.add(at.copy("--log-json", "--log-level", "debug", "-v", file, server.url("/g"))
                .expectExit(7));
        process.awaitErrorLine(Workplace.LIMIT, text -> text.contains("\"peer_refused\""));
        Outcome served = stopped(server);

        assertThat(of("peer_refused", log(served)).get(0)).containsEntry("level", "warn");
        assertThat(of("error", log(clients.get(1))))
                .singleElement()
                .satisfies(one -> assertThat(one).containsEntry("exit_code", 7L));
        byte[] content = Base64.getUrlDecoder().decode(line.replace("fdt-key:", ""));
        byte[] secret = Arrays.copyOfRange(content, content.length - 36, content.length - 4);
        List<String> never = List.of(
                line,
                Base64.getUrlEncoder().withoutPadding().encodeToString(secret),
                Files.readString(at.home().resolve("default-key")).strip());
        clients.add(served);
        for (Outcome outcome : clients) {
            assertThat(outcome.out() + outcome.errText()).doesNotContain(never);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bothEndsReportTheirStatusOnSigusr1AndContinue(boolean json) {
        List<Object> options = new ArrayList<>(List.of("--quiet"));
        if (json) {
            options.add("--log-json");
        }
        FdtServer server = at.server(options.toArray());
        server.process().signal("USR1");
        server.process().awaitErrorLine(Workplace.LIMIT, text -> text.contains("0 sessions, 0 lanes"));
        List<Object> words = new ArrayList<>(List.of("client"));
        words.addAll(options);
        words.addAll(
                List.of("-P", 3, "--rate-limit", "80Mbit", "--duration", "5m", "/dev/zero", server.url("/dev/null")));
        FdtProcess client = at.start("client", words.toArray());

        // The server first: a JVM that is still starting does not handle the signal.
        String there = ask(server.process(), text -> text.contains("1 session, 3 lanes"));
        String here = ask(client, text -> text.contains("3 lanes"));
        String session = server.process()
                .awaitErrorLine(
                        Workplace.LIMIT, text -> text.contains("from 127.0.0.1") && text.contains("push to /dev/null"));

        assertThat(List.of(here, there, session)).allMatch(text -> text.contains("bit/s"));
        if (json) {
            assertThat(Json.object(here)).containsEntry("event", "status").containsEntry("lanes", 3L);
            assertThat(Json.object(there)).containsEntry("sessions", 1L).containsEntry("lanes", 3L);
            assertThat(Json.object(session)).containsEntry("event", "session_status");
        } else {
            assertThat(here + there + session).doesNotContain("{");
        }
        client.signal("INT");
        client.await(Workplace.LIMIT).expectExit(130);
        stopped(server);
    }

    /** Requests the status until it matches, because a session takes a moment to be established. */
    private static String ask(FdtProcess process, Predicate<String> wanted) {
        long deadline = System.nanoTime() + Workplace.LIMIT.toNanos();
        while (true) {
            process.signal("USR1");
            try {
                return process.awaitErrorLine(Duration.ofSeconds(2), wanted);
            } catch (AssertionError notYet) {
                if (System.nanoTime() - deadline > 0 || !process.isAlive()) {
                    throw notYet;
                }
            }
        }
    }

    /** In turn: stderr is closed, the disk is full, the reader of a pipe does not read. */
    @TestFactory
    Stream<DynamicTest> aLogThatCannotBeWrittenHarmsNoCopy() {
        FdtServer server = at.server();
        // With names of 200 characters, the log is larger than a pipe and the queue of log lines together.
        Path tree = at.directory("tree");
        for (int i = 0; i < 2_000; i++) {
            Trees.file(tree.resolve("f" + i + "-" + "x".repeat(200)), 10, i);
        }
        return Stream.of("exec \"$@\" 2>&-", "exec \"$@\" 2>/dev/full", "mkfifo pipe; exec 3<>pipe; exec \"$@\" 2>pipe")
                .map(script -> DynamicTest.dynamicTest(script, () -> {
                    Path target = server.root().resolve("tree");
                    FdtProcess client = at.track(FdtProcess.start(at.setupThroughBash(
                            "client",
                            script,
                            "client",
                            "--json",
                            "--log-json",
                            "--log-level",
                            "debug",
                            "-P",
                            2,
                            tree,
                            server.url("/"))));
                    client.await(Workplace.LIMIT).expectExit(0);
                    Trees.assertSame(tree, target);
                    Shell.removeTree(target);
                }));
    }
}
