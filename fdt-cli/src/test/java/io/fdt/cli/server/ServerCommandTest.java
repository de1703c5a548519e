package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.cli.FakeEngine;
import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.monitor.MonitorRequest;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.HostPort;
import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.failure.Cause;
import io.fdt.core.host.ThreadCores;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.security.AddressRules;
import io.fdt.core.security.OutboundRules;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.token.TokenSettings;
import io.fdt.core.token.TokenSettings.TrustedIssuer;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.RdmaUse.Wish;
import io.fdt.core.transport.tcp.TcpSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ServerCommandTest {
    private static final String NO_ROOT = "fdt: no --root: serving only network tests, /dev/zero and /dev/null";

    @Test
    void takesCoresForItsLanes() {
        CommandRun run = new CommandRun();
        int core = ThreadCores.allowed().toList().get(0);
        assertThat(run.run("server", "--pin", String.valueOf(core))).isZero();
        assertThat(run.engine.network().places()).isNotEqualTo(LanePlaces.ANYWHERE);
        CommandRun beyond = new CommandRun();
        assertThat(beyond.run("server", "--pin", "1023")).isEqualTo(2);
        assertThat(beyond.err()).contains("--pin: this process may not use core 1023");
    }

    @Test
    void listensOnLoopbackAndServesNoFilesByDefault() {
        CommandRun run = new CommandRun();
        assertThat(run.run("server")).isZero();
        assertThat(run.engine.serverSettings())
                .usingRecursiveComparison()
                .ignoringFields("tokens.origin")
                .isEqualTo(new ServerSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 27321),
                        new ExportedRoots(List.of(), false),
                        ServerLimits.builder()
                                .memory(ServerLimits.DEFAULT.held().memoryBytes(), TcpSettings.laneMemoryBytes())
                                .build(),
                        TransferLimits.SERVER_DEFAULT,
                        new NettestResources(256 << 20, null, 4L << 30)));
        assertThat(run.engine.network().withPlaces(LanePlaces.ANYWHERE)).isEqualTo(TcpSettings.DEFAULTS);
        assertThat(run.engine.rdma().wish()).isEqualTo(Wish.IF_PRESENT);
        assertThat(run.out()).isEqualTo("fdt server ready on 127.0.0.1:27321\n");
        assertThat(run.timedLines()).containsExactly(NO_ROOT);
    }

    @Test
    void carriesEveryOptionIntoThePlan() {
        CommandRun run = new CommandRun();
        assertThat(run.run(
                        "server",
                        "--listen",
                        "[::]:0",
                        "--root",
                        "/srv/a",
                        "--root=b\uDCFF",
                        "--read-only",
                        "--mode-mask",
                        "027",
                        "--once",
                        "--issuer=https://a.example/x=/etc/a.json",
                        "--issuer",
                        "https://b.example/",
                        "--issuer-users=https://a.example/x=/etc/users",
                        "--issuer-root=https://a.example/x=/srv/a/x",
                        "--issuer-root",
                        "/srv/a",
                        "--audience=dtn1.example",
                        "--audience=fdt://dtn1.example",
                        "--max-lanes",
                        "8",
                        "--max-sessions",
                        "2",
                        "--max-connections=100",
                        "--max-unadmitted=10",
                        "--handshake-timeout=2s",
                        "--max-disconnected=2m",
                        "--max-memory=1G",
                        "--max-entries=1000",
                        "--max-bytes=5TiB",
                        "--max-path-bytes=255",
                        "--max-path-depth=20",
                        "--allow=10.1.0.0/16",
                        "--allow=::1",
                        "--clear-lanes",
                        "allow",
                        "--nettest-log",
                        "/srv/log",
                        "--nettest-log-size",
                        "1GiB",
                        "--nettest-memory=64MiB",
                        "--transport",
                        "tcp",
                        "--socket-buffer",
                        "1M",
                        "--congestion",
                        "cubic",
                        "--rate-limit",
                        "5Gbit",
                        "--third-party",
                        "10.2.0.0/16,10.3.0.1",
                        "--third-party",
                        "::1"))
                .isZero();
        assertThat(run.engine.serverSettings())
                .usingRecursiveComparison()
                .ignoringFields("tokens.origin")
                .isEqualTo(new ServerSettings(
                        new InetSocketAddress("::", 0),
                        new ExportedRoots(List.of(RawPath.ofText("/srv/a"), RawPath.ofText("b\uDCFF")), true, 027),
                        new ServerLimits(
                                2,
                                new ServerLimits.Lanes(8, TcpSettings.laneMemoryBytes(), ClearLanes.ALLOW),
                                new ServerLimits.Held(1 << 30, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE),
                                new ServerLimits.Times(
                                        2_000,
                                        120_000,
                                        ServerLimits.DEFAULT.times().idleMs()),
                                5_000_000_000L),
                        new TransferLimits(1000, 5L << 40, 255, 20),
                        new NettestResources(64 << 20, Path.of("/srv/log"), 1L << 30),
                        OutboundRules.parse(List.of("10.2.0.0/16", "10.3.0.1", "::1")),
                        new TokenSettings(
                                List.of(
                                        new TrustedIssuer(
                                                "https://a.example/x",
                                                Path.of("/etc/a.json"),
                                                "/srv/a/x",
                                                Path.of("/etc/users")),
                                        new TrustedIssuer("https://b.example/", null, "/srv/a", null)),
                                List.of("dtn1.example", "fdt://dtn1.example"))));
        assertThat(run.engine.network().withPlaces(LanePlaces.ANYWHERE))
                .isEqualTo(TcpSettings.DEFAULTS
                        .withSocketBufferBytes(1 << 20)
                        .withCongestionControl("cubic")
                        .withLimits(10, 100, 2_000)
                        .withAllowed(AddressRules.parse(List.of("10.1.0.0/16", "::1"))));
        assertThat(run.engine.rdma().wish()).isEqualTo(Wish.NEVER);
        assertThat(run.out()).isEqualTo("fdt server ready on [::]:40001\n");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void takesOnlyNumbersForTheNetworksItCopiesTo() {
        CommandRun run = new CommandRun();
        assertThat(run.run("server", "--third-party", "10.1.0.0/16,dtn2")).isEqualTo(2);
        assertThat(run.err())
                .contains("--third-party '10.1.0.0/16,dtn2'")
                .contains("host names are not supported here");
    }

    @Test
    void timeoutOptionPointsToMaxDisconnected() {
        CommandRun run = new CommandRun();
        assertThat(run.run("server", "--timeout", "1m")).isEqualTo(2);
        assertThat(run.err()).contains("--timeout: the client's counts; use --max-disconnected TIME to limit it");
    }

    @Test
    void refusesAWordThatIsNeitherAllowNorRefuse() {
        CommandRun run = new CommandRun();
        assertThat(run.run("server", "--tell-host", "Allow")).isEqualTo(2);
        assertThat(run.err()).contains("--tell-host 'Allow'");
    }

    @Test
    void reportsReadinessInJson() {
        CommandRun run = new CommandRun();
        run.run("server", "--json", "--listen", ":0");
        assertThat(run.json()).containsExactly(Map.of("type", "ready", "host", "127.0.0.1", "port", 40_001L));
    }

    @Test
    void logsASessionInOneLineAtItsStartAndOneAtItsEnd() {
        CommandRun run = new CommandRun();
        run.engine.service = observer -> {
            observer.onSessionStart("s1", "10.0.0.7:5", "guest", "push to /in");
            observer.onSessionEnd("s1", "10.0.0.7:5", "guest", FakeEngine.OK);
            observer.onSessionEnd("s2", "10.0.0.8:5", "guest", FakeEngine.summary(Cause.TARGET, "disk full"));
            observer.onWarning("10.0.0.9:5 does not speak this protocol");
        };
        assertThat(run.run("server", "--root", "/srv")).isZero();
        assertThat(run.timedLines())
                .containsExactly(
                        "fdt: session s1 from 10.0.0.7:5 with key guest: push to /in",
                        "fdt: session s1 from 10.0.0.7:5 with key guest ended ok: 3 files, 123 B moved",
                        "fdt: session s2 from 10.0.0.8:5 with key guest ended failed: 3 files, 123 B moved;"
                                + " disk full",
                        "fdt: warning: 10.0.0.9:5 does not speak this protocol");
        CommandRun json = new CommandRun();
        json.engine.service = run.engine.service;
        json.run("server", "--json", "-q");
        assertThat(json.json().stream().map(one -> one.get("type")))
                .containsExactly("ready", "session_start", "session_end", "session_end", "warning");
        assertThat(json.err()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Cause.class)
    void exitsWithTheCodeOfItsOneSession(Cause kind) {
        CommandRun run = new CommandRun();
        run.engine.service =
                observer -> observer.onSessionEnd("s1", "10.0.0.7:5", "guest", FakeEngine.summary(kind, "why"));
        assertThat(run.run("server", "--once")).isEqualTo(kind.exitCode());
    }

    @ParameterizedTest
    @CsvSource({"TERM, 0", "INT, 130", "HUP, 0"})
    void stopsOnASignal(String signal, int exitCode) throws Exception {
        CommandRun run = new CommandRun();
        run.engine.endless = true;
        var server = InBackground.start(() -> run.run("server", "--listen=0"));
        run.engine.started.await();
        run.signals.raise(signal);
        assertThat(server.result()).isEqualTo(exitCode);
        assertThat(run.halts).isEmpty();
    }

    /** A reload of the service. */
    @Test
    void goesOnAfterAHangupIfAServiceManagerStartedIt() throws Exception {
        CommandRun run = new CommandRun().environment("NOTIFY_SOCKET", "none");
        run.engine.endless = true;
        var server = InBackground.start(() -> run.run("server", "--listen=0"));
        run.engine.started.await();
        run.signals.raise("HUP");
        run.signals.raise("INT");
        assertThat(server.result()).isEqualTo(130);
    }

    @Test
    void checksItsSettingsWithoutStarting(@TempDir Path directory) throws IOException {
        CommandRun run = new CommandRun();
        Path log = directory.resolve("log");
        assertThat(run.run(
                        "server", "--check-config", "--root", directory.toString(), "--transfer-log", log.toString()))
                .isZero();
        assertThat(run.out())
                .isEqualTo("fdt: the settings are valid: listens on 127.0.0.1:27321, exports " + directory + "\n");
        assertThat(run.engine.serverSettings).isNull();
        assertThat(log).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--root /nonexistent | /nonexistent | 2",
                "--transfer-log /nonexistent/log | --transfer-log /nonexistent/log: this user cannot write it | 5",
                "--listen nowhere.invalid:1 | --listen: unknown host nowhere.invalid | 2",
                "--max-lanes 1000 | --max-lanes | 2",
            })
    void checkOfSettingsNamesWhatIsWrong(String options, String message, int exitCode) {
        CommandRun run = new CommandRun();
        List<String> words = new ArrayList<>(List.of("server", "--check-config"));
        words.addAll(List.of(options.split(" ", -1)));
        assertThat(run.run(words)).isEqualTo(exitCode);
        assertThat(run.err()).contains(message);
        assertThat(run.out()).isEmpty();
    }

    /** The kernel lets only threads that have their rights from one thread use what one of them has opened for RDMA. */
    @Test
    void isStoppedByAThreadOfItsOwnAndNotOfTheSignal() throws Exception {
        InheritableThreadLocal<String> rights = new InheritableThreadLocal<>();
        CompletableFuture<String> used = new CompletableFuture<>();
        CommandRun run = new CommandRun();
        run.engine.endless = true;
        run.engine.stopping = () -> used.complete(String.valueOf(rights.get()));
        var server = InBackground.start(() -> {
            rights.set("the server's");
            return run.run("server", "--listen=0");
        });
        run.engine.started.await();
        rights.set("the signal's");
        run.signals.raise("TERM");
        assertThat(used.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo("the server's");
        assertThat(server.result()).isZero();
        rights.remove();
    }

    private static final Map<String, String> OF_ALL_CLIENTS = Map.of(
            "FDT_HOME", "/nonexistent",
            "FDT_ROOT", "/srv/data",
            "FDT_SERVER_READ_ONLY", "true",
            "FDT_NETTEST_LOG", "/srv/log",
            "FDT_MONITOR", "127.0.0.1:0",
            "FDT_RECORD", "/srv/recording",
            "FDT_MAX_LANES", "8");

    private static Settings settings(String... args) {
        ServerCommand server = new ServerCommand();
        return ServerCommand.ofThisServer(
                Settings.of("server", ArgumentReader.read(server, List.of(args)), OF_ALL_CLIENTS));
    }

    @Test
    void overSshServesTheWholeFileSystemDespiteOtherSettings() {
        ServerSettings plan = ServerCommand.serverSettings(settings("--for-ssh"), new HostPort("10.0.0.2", 0));
        assertThat(plan.roots().directories()).containsExactly(RawPath.ofText("/"));
        assertThat(plan.roots().isReadOnly()).isFalse();
        assertThat(plan.objects()).usingRecursiveComparison().isEqualTo(NettestResources.inMemory());
        assertThat(plan.limits().lanes().perSession()).isEqualTo(8);
        MonitorRequest monitor = MonitorRequest.ofServer(settings("--for-ssh"), false, OF_ALL_CLIENTS);
        assertThat(monitor.address()).isNull();
        assertThat(monitor.recording()).isNull();
        assertThat(ServerCommand.serverSettings(settings(), new HostPort("10.0.0.2", 0))
                        .roots()
                        .directories())
                .containsExactly(RawPath.ofText("/srv/data"));
    }

    @Test
    void overSshExportsOnlyTheRootsThatItsCommandLineNames() {
        ServerSettings plan = ServerCommand.serverSettings(
                settings("--for-ssh", "--root", "/srv/a", "--read-only"), new HostPort("10.0.0.2", 0));
        assertThat(plan.roots().directories()).containsExactly(RawPath.ofText("/srv/a"));
        assertThat(plan.roots().isReadOnly()).isTrue();
    }

    @Test
    void overSshAdmitsByTheKeyThatItPrints() {
        CommandRun run = new CommandRun();
        assertThat(run.run("server", "--for-ssh", "--listen", "127.0.0.1:0")).isZero();
        String line = Objects.requireNonNull(run.engine.access).line();
        assertThat(run.out()).startsWith("fdt-over-ssh ").endsWith(" " + line + "\n");
    }

    @Test
    void reportsWhyItCannotListen() {
        CommandRun run = new CommandRun();
        run.engine.failure = Cause.CANNOT_CONNECT.failure("cannot listen on 127.0.0.1:27321: in use");
        assertThat(run.run("server", "--json")).isEqualTo(8);
        assertThat(run.out()).contains("\"type\":\"error\"").doesNotContain("ready");
        assertThat(run.err()).startsWith("fdt: cannot listen on 127.0.0.1:27321: in use; ");
    }

    @ParameterizedTest
    @CsvSource({"tcp, NEVER", "rdma, REQUIRED", "auto, PREFERRED"})
    void acceptsLanesOverRdmaAsRequested(String word, Wish wish) {
        CommandRun run = new CommandRun();
        assertThat(run.run("server", "--transport", word)).isZero();
        assertThat(run.engine.rdma().wish()).isEqualTo(wish);
        CommandRun both = new CommandRun();
        assertThat(both.run("server", "--transport", "tcp", "--transport", word))
                .isZero();
        assertThat(both.engine.rdma().wish()).isEqualTo(wish);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--listen=:x | --listen ':x': not a port; a number from 0 to 65535",
                "--listen=::1 | --listen '::1': write an IPv6 address in brackets: [::1]:27321",
                "--root= | --root '': the path is empty; write . for the current directory",
                "--root=fdt://h/x | --root 'fdt://h/x': a root must be a local directory; write for example /srv/data",
                "--max-lanes=0 | --max-lanes '0': not a number from 1 to 256",
                "--mode-mask=028 | --mode-mask '028': not octal permissions from 000 to 777; write for example 022",
                "--mode-mask=1777 | --mode-mask '1777': not octal permissions from 000 to 777; write for example 022",
                "--clear-lanes=maybe | --clear-lanes 'maybe': not one of allow, tests, refuse",
                "--transport=tcp --rdma-mtu=1024 | --rdma-mtu applies only to lanes over RDMA; leave it out, or change"
                        + " --transport",
                "--transport=udp | --transport 'udp': not one of tcp, rdma, auto",
                "--checksum=md5 | --checksum 'md5': not one of adler32, crc32c, crc32, none",
                "--checksum=adler32,md5 | --checksum 'adler32,md5': not one of adler32, crc32c, crc32",
                "--checksum=none,crc32 | --checksum 'none,crc32': not one of adler32, crc32c, crc32",
                "--monitor-token-file=t | --monitor-token-file applies only to --monitor; add it, or leave this out",
                "--monitor=:x | --monitor ':x': not a port; a number from 0 to 65535",
                "--readonly | unknown option '--readonly'; did you mean '--read-only'?",
                "/srv | unexpected argument '/srv'; use --root DIR",
            })
    void refusesWhatMakesNoSenseInOneLineAndWithExitCode2(String arg, String message) {
        CommandRun run = new CommandRun();
        assertThat(run.run(("server " + arg).split(" "))).isEqualTo(2);
        assertThat(run.err()).isEqualTo("fdt: " + message + "\n");
        assertThat(run.out()).isEmpty();
    }
}
