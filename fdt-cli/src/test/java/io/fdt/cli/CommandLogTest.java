package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.Summary;
import io.fdt.core.token.TokenSettings;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The log events of commands and their response to SIGUSR1. */
class CommandLogTest {
    private static List<Map<String, Object>> log(CommandRun run) {
        return run.errLines().stream().map(Json::object).toList();
    }

    private static List<Object> events(CommandRun run) {
        return log(run).stream().map(line -> line.get("event")).toList();
    }

    private static SessionActivity session(String name) {
        return new SessionActivity(name, "10.0.0.7:5", new SessionCounters());
    }

    /** Runs a server that reports one event of each kind. */
    private static CommandRun busyServer() {
        CommandRun run = new CommandRun();
        run.engine.service = observer -> {
            observer.onKeyCreated("guest", "0011");
            observer.onRefused("10.0.0.9:5", "the key is unknown on the server or does not match");
            observer.onSessionStart("s1", "10.0.0.7:5", "guest", "push to /in");
            SessionActivity session = session("s1");
            observer.onSessionOpen(session);
            LaneActivity first = session.join(0, Direction.IN, "epoll", () -> 0);
            first.lose("10.0.0.7:6 is gone");
            LaneActivity again = session.join(0, Direction.IN, "epoll", () -> 0);
            again.close();
            session.join(0, Direction.IN, "epoll", () -> 0);
            session.end();
            first.lose("the end of the session is no news");
            observer.onSessionEnd("s1", "10.0.0.7:5", "guest", FakeEngine.summary(Cause.TARGET, "disk\nfull"));
            observer.onKeyRevoked("guest", "0011");
            for (TokenSettings.Change change : TokenSettings.Change.values()) {
                observer.onIssuer("https://issuer.example.org/", change);
            }
            observer.onWarning("careful");
        };
        return run;
    }

    @Test
    void aServerLogsEveryEventAsOneJsonObject() {
        CommandRun run = busyServer();
        assertThat(run.run("server", "--root", "/srv", "--log-json", "--log-level", "debug"))
                .isZero();
        assertThat(events(run))
                .containsExactly(
                        "server_start",
                        "key_created",
                        "peer_refused",
                        "session_start",
                        "lane_joined",
                        "lane_lost",
                        "lane_reopened",
                        "lane_replaced",
                        "session_end",
                        "key_revoked",
                        "issuer_added",
                        "issuer_changed",
                        "issuer_withdrawn",
                        "warning",
                        "server_stop");
        assertThat(log(run))
                .allSatisfy(line ->
                        assertThat(line.keySet()).startsWith("time", "level", "event", "session", "peer", "message"));
        assertThat(log(run).get(5))
                .containsEntry("session", "s1")
                .containsEntry("peer", "10.0.0.7:5")
                .containsEntry("lane", 0L)
                .containsEntry("level", "warn")
                .containsEntry("reason", "10.0.0.7:6 is gone");
        assertThat(log(run).get(12))
                .containsEntry("issuer", "https://issuer.example.org/")
                .containsEntry("message", "issuer https://issuer.example.org/ withdrawn");
        assertThat(log(run).get(8))
                .containsEntry("cause", "target")
                .containsEntry("exit_code", 5L)
                .containsEntry("reason", "disk full")
                .containsEntry("key", "guest")
                .containsEntry("bytes_sent", 123L);
        assertThat(run.out()).isEqualTo("fdt server ready on 127.0.0.1:27321\n");
    }

    @Test
    void serverLogsLittleByDefault() {
        CommandRun defaults = busyServer();
        defaults.run("server", "--root", "/srv");
        assertThat(defaults.timedLines())
                .containsExactly(
                        "fdt: warning: refused 10.0.0.9:5: the key is unknown on the server or does not match",
                        "fdt: session s1 from 10.0.0.7:5 with key guest: push to /in",
                        "fdt: session s1 from 10.0.0.7:5 with key guest ended failed: 3 files, 123 B moved; disk full",
                        "fdt: warning: careful");
        CommandRun asked = busyServer();
        asked.run("server", "--root", "/srv", "--log-level=info");
        assertThat(asked.timedLines())
                .hasSize(14)
                .contains(
                        "fdt: key guest created",
                        "fdt: warning: session s1: lane 0 lost: 10.0.0.7:6 is gone",
                        "fdt: session s1: lane 0 was reopened: epoll",
                        "fdt: server ended, exit code 0");
    }

    @ParameterizedTest
    @CsvSource({"error, 0", "warn, 3", "info, 14", "debug, 15"})
    void levelIncludesHigherLevels(String level, int lines) {
        CommandRun run = busyServer();
        run.run("server", "--root", "/srv", "--log-json", "--log-level", level);
        assertThat(run.errLines()).hasSize(lines);
    }

    @Test
    void quietServerPrintsStatusOnSignal() {
        for (boolean json : List.of(false, true)) {
            CommandRun run = new CommandRun();
            AtomicLong bytes = new AtomicLong();
            run.engine.service = observer -> {
                run.signals.raise("USR1");
                List<SessionActivity> open = List.of(session("s1"), session("s2"));
                for (SessionActivity session : open) {
                    session.admit(new SessionActivity.Admission("guest", "push to /" + session.name(), null));
                    observer.onSessionOpen(session);
                    session.join(0, Direction.IN, "epoll", () -> bytes.addAndGet(100_000_000));
                    session.join(1, Direction.OUT, "epoll", () -> 5).close();
                }
                run.signals.raise("USR1");
                open.forEach(SessionActivity::end);
                run.signals.raise("USR1");
            };
            List<String> args = new ArrayList<>(List.of("server", "--root", "/srv", "--quiet"));
            if (json) {
                args.add("--log-json");
            }
            assertThat(run.run(args)).isZero();
            assertThat(run.errLines()).hasSize(5);
            if (json) {
                assertThat(events(run))
                        .containsExactly("status", "status", "session_status", "session_status", "status");
                assertThat(log(run).get(1)).containsEntry("sessions", 2L).containsEntry("lanes", 2L);
                assertThat((Double) log(run).get(1).get("bits_per_second_in")).isPositive();
                assertThat((Double) log(run).get(1).get("bits_per_second_out")).isZero();
                assertThat(log(run).get(2)).containsEntry("session", "s1").containsEntry("what", "push to /s1");
            } else {
                assertThat(run.timedLines().get(0)).startsWith("fdt: 0 sessions, 0 lanes, in 0 bit/s (0 B/s)");
                assertThat(run.timedLines().get(1))
                        .startsWith("fdt: 2 sessions, 2 lanes, in ")
                        .contains("out 0 bit/s");
                assertThat(run.timedLines().get(2))
                        .startsWith("fdt: session s1 from 10.0.0.7:5: push to /s1, 1 lane, 0 B moved, in ");
            }
        }
    }

    @Test
    void aClientLogsItsSessionItsFilesAndItsFailure() {
        CommandRun run = new CommandRun();
        run.engine.session = observer -> {
            SessionActivity session = session("s1");
            observer.onActivity(session);
            session.join(0, Direction.OUT, "epoll", () -> 0).lose("cut");
            observer.onStart("s1", 4, "epoll, TLS", "10.0.0.7:27321");
            observer.onFile("a\nb", FileOutcome.RESUMED, 5, null);
            observer.onFile("c", FileOutcome.FAILED, 6, Failure.of(Cause.SOURCE, "cannot read"));
            observer.onWarning("careful");
        };
        Summary ended = FakeEngine.summary(Cause.SOME_FILES_FAILED, "1 file failed");
        run.engine.end = ended;
        assertThat(run.run("client", "--log-json", "--log-level=debug", "x", "fdt://h/y"))
                .isEqualTo(3);
        assertThat(events(run))
                .containsExactly(
                        "lane_joined",
                        "lane_lost",
                        "session_start",
                        "file",
                        "file_failed",
                        "warning",
                        "session_end",
                        "error");
        assertThat(log(run)).allSatisfy(line -> assertThat(line).containsEntry("session", "s1"));
        assertThat(log(run).get(3)).containsEntry("path", "a\nb").containsEntry("outcome", "resumed");
        assertThat(log(run).get(7)).containsEntry("exit_code", 3L).containsEntry("cause", "some-files");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aClientLogsTheEndOfEachSessionAndOfNoOther() {
        CommandRun run = new CommandRun();
        AtomicBoolean started = new AtomicBoolean();
        run.engine.session = observer -> {
            if (started.compareAndSet(false, true)) {
                observer.onStart("s1", 4, "epoll, TLS", "10.0.0.7:27321");
            }
        };
        run.engine.end = FakeEngine.summary(Cause.CONNECTION_LOST, "cut");
        assertThat(run.run("client", "--log-json", "--retry", "1s", "x", "fdt://h/y"))
                .isEqualTo(9);
        assertThat(events(run))
                .startsWith("session_start", "session_end", "retry")
                .endsWith("error");
        assertThat(events(run)).containsOnlyOnce("session_end");
        assertThat(log(run).get(1)).containsEntry("session", "s1").containsEntry("cause", "lost");
        assertThat(log(run).get(log(run).size() - 1)).containsEntry("session", Json.NULL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"client x fdt://h/y", "verify x fdt://h/y", "nettest h"})
    void statusSignalWorksBeforeSession(String line) {
        CommandRun run = new CommandRun();
        run.engine.session = observer -> run.signals.raise("USR1");
        run.engine.verification = observer -> run.signals.raise("USR1");
        run.engine.nettest = observer -> run.signals.raise("USR1");
        run.run(("--quiet " + line).replaceFirst("(--quiet) (\\w+)", "$2 $1").split(" "));
        assertThat(run.err())
                .containsPattern("fdt: (no session|nothing has been read|nothing has been measured) yet\n");
    }

    @Test
    void aNetworkTestLogsItsSessionAndNothingTwice() {
        CommandRun run = new CommandRun();
        run.engine.nettest = observer -> {
            observer.onActivity(session("s1"));
            observer.onStart("s1", Objects.requireNonNull(run.engine.nettestPlan), "epoll", "10.0.0.7:27321");
            observer.onWarning("careful");
        };
        assertThat(run.run("nettest", "--log-json", "10.0.0.7")).isZero();
        assertThat(events(run)).containsExactly("session_start", "warning", "session_end");
        assertThat(log(run))
                .allSatisfy(line ->
                        assertThat(line).containsEntry("session", "s1").containsEntry("peer", "10.0.0.7:27321"));
        assertThat(log(run).get(2)).containsEntry("seconds", 1.23);
    }

    @Test
    void plainMessagesAreLoggedToo() {
        CommandRun run = new CommandRun();
        run.engine.failure = Cause.CANNOT_CONNECT.failure("nobody is there");
        assertThat(run.run("verify", "--log-json", "x", "fdt://h/y")).isEqualTo(8);
        assertThat(events(run)).containsExactly("error");
        assertThat((String) log(run).get(0).get("message")).startsWith("nobody is there; ");
    }

    @Test
    void clientLevelHidesLowerEvents() {
        CommandRun run = new CommandRun();
        run.engine.session = observer -> observer.onWarning("careful");
        run.run("client", "--log-level=error", "x", "fdt://h/y");
        assertThat(run.err()).isEmpty();
        run.run("client", "--log-level=warn", "x", "fdt://h/y");
        assertThat(run.err()).isEqualTo("fdt: warning: careful\n");
    }

    @Test
    void refusesUnknownLevel() {
        CommandRun run = new CommandRun();
        assertThat(run.run("server", "--log-level", "loud")).isEqualTo(2);
        assertThat(run.err()).isEqualTo("fdt: --log-level 'loud': not one of error, warn, info, debug\n");
    }

    @Test
    void readsLevelFromEnvironment() {
        CommandRun run = busyServer().environment("FDT_LOG_JSON", "true").environment("FDT_SERVER_LOG_LEVEL", "warn");
        run.run("server", "--root", "/srv");
        assertThat(events(run)).containsExactly("peer_refused", "lane_lost", "warning");
    }
}
