package io.fdt.cli.server;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.console.LogEvent;
import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.FailureReport;
import io.fdt.cli.display.Hook;
import io.fdt.cli.display.LogForm;
import io.fdt.cli.display.ServerLog;
import io.fdt.cli.key.KeyRing;
import io.fdt.cli.monitor.MonitorRequest;
import io.fdt.cli.monitor.Monitoring;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.MonitorOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.ServerOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.run.Lifetime;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.trace.ServerTrace;
import io.fdt.cli.trace.Traces;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HashWords;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.Rates;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.Words;
import io.fdt.core.Fdt;
import io.fdt.core.basic.Version;
import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.digest.Checksums;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.failure.Failure;
import io.fdt.core.host.Caption;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.run.Threads;
import io.fdt.core.security.AddressRules;
import io.fdt.core.security.Home;
import io.fdt.core.security.OutboundRules;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.token.TokenSettings;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code server}: listens until it is stopped, or for one session. */
public final class ServerCommand extends Command {
    private static final String STOPPING =
            "fdt: server stopping; clients can resume their copies (interrupt again to stop at once)";
    static final long STOP_MS = 8_000;
    private static final long PATIENCE_MS = 9_500;
    private static final long MIN_MEMORY_BYTES = 1 << 20;

    public ServerCommand() {
        super("server", "serve transfers and network tests", "");
    }

    @Override
    protected Help help() {
        return Help.of(ServerOptions.ALL)
                .common(ServerOptions.COMMON)
                .foreign("""
                    --timeout= : the client's counts; use --max-disconnected TIME to limit it
                    OPERAND : use --root DIR
                    -p= --port= -B= --bind= --address= : use --listen HOST:PORT
                    -d -D --daemon : a service manager keeps it running; see docs/packaging.md
                    -1 --one-off -> --once
                    -J -> --json
                    -i= --interval= -> fdt reports when a session ends
                    --path= --dir= --directory= : use --root DIR
                    --user= --password= --auth= : each client needs a key; use fdt key create NAME
                    """)
                .about("""
                    Serves clients, which can reach the exported roots and nothing else. When it is ready, it prints
                    one line, fdt server ready on HOST:PORT. On SIGTERM it brings running sessions to a resumable
                    state and exits.\
                    """)
                .example("server --root /srv/data", "serve this machine only")
                .example("server --listen 0.0.0.0:27321 --root /srv/data --read-only", "let clients on any host read")
                .example(
                        "server --listen 10.1.0.2:27321 --root /srv/data --third-party 10.1.0.0/16",
                        "also copy to servers in this network on a client's request")
                .example("server --listen 127.0.0.1:0 --once --json", "for a test: any port, one session")
                .example(
                        "server --check-config --root /srv/data",
                        "see whether a server with these settings would start");
    }

    @Override
    public int run(List<String> args, Context context) {
        if (args.equals(List.of(AccountServer.WORD))) {
            AccountServer account = AccountServer.connect(context);
            return PlainRun.runForEffect(
                    this, account.arguments(), context, (given, settings, json) -> account.serve(settings, context));
        }
        return PlainRun.runForEffect(
                this,
                args,
                context,
                (given, settings, json) -> serve(args, given, ofThisServer(settings), json, context));
    }

    private static int serve(
            List<String> args, GivenArguments given, Settings settings, boolean json, Context context) {
        boolean overSsh = isForSsh(settings);
        HostPort listen = overSsh && !given.has(ServerOptions.LISTEN)
                ? SshServing.address(context.environment())
                : settings.get(ServerOptions.LISTEN, HostPort::parseListen);
        ServerSettings server = overSsh
                ? serverSettings(settings, listen)
                : readAgain(serverSettings(settings, listen), listen, given, context);
        Network network = network(settings, server.limits());
        boolean once = overSsh || settings.on(ServerOptions.ONCE);
        MonitorRequest monitor = MonitorRequest.ofServer(settings, json, context.environment());
        List<TransferLogPlace> places = settings.all(ServerOptions.TRANSFER_LOG, TransferLogPlace::parse).stream()
                .distinct()
                .toList();
        if (settings.on(ServerOptions.CHECK_CONFIG)) {
            try (ShownCertificate certificate = ShownCertificate.of(settings, warning -> {})) {
                context.console().data(ConfigCheck.check(listen, server, places, KeyRing.of(context), certificate));
            }
            return PlainRun.exitCode(0, context.console());
        }
        EventLog events = EventLog.beginTimed(context, LogForm.of(settings, settings.on(CommonOptions.QUIET)));
        FailureReport report = new FailureReport(context.console(), json, settings.on(CommonOptions.VERBOSE));
        ServerLog log = new ServerLog(context.console(), json, events);
        ServerStatus status = new ServerStatus(events);
        WantedChecksums checksums = new WantedChecksums(Checksums.of(settings.get(
                ServerOptions.CHECKSUM,
                HashWords.among(ServerOptions.CHECKSUM.value().words()))));
        context.signals().onSignal("USR1", status::tell);
        SshServing ssh = overSsh ? new SshServing(context) : null;
        try (Monitoring monitoring = Monitoring.start(monitor, "server", json, context);
                SessionHook hook = hook(settings, log);
                TransferLog transfers = transferLog(places, context, log);
                ServerTrace trace = Traces.ofServer(context.environment(), log::onWarning);
                ShownCertificate certificate = ShownCertificate.of(settings, log::onWarning);
                AccountHelpers accounts = accounts(args, server, ssh, context)) {
            monitoring.watchServer(
                    () -> KeyRing.of(context).expiries(),
                    server.roots().directories().stream()
                            .flatMap(root -> Stream.ofNullable(Location.localOrNull(root.text())))
                            .toList());
            List<ServerObserver> observers = Stream.of(ssh, log, monitoring, status, checksums, transfers, trace, hook)
                    .filter(Objects::nonNull)
                    .toList();
            AtomicReference<@Nullable RunningServer> started = new AtomicReference<>();
            List<Runnable> reloads = reloads(transfers, certificate, server.tokens(), started);
            int exitCode = untilSignal(context, report, monitoring::leaveScreen, reloads, () -> {
                if (ssh == null && context.signals().ofOwnProcess()) {
                    KeyRing.of(context).createOnce();
                    // Native libraries that load meanwhile are among the files to give up.
                    TcpTransport.load();
                    ReachableFiles files = ReachableFiles.of(server.roots())
                            .openToTools()
                            .reading(Home.directory(context.environment()))
                            .reading(server.tokens().files())
                            .changing(settings.file(ServerOptions.NETTEST_LOG))
                            .listeningOn(monitor.address());
                    if (certificate != null) {
                        files.reading(certificate.files());
                    }
                    if (transfers != null) {
                        transfers.keepReachable(files);
                    }
                    files.giveUpOthers(
                            text -> log.log().tell(LogEvent.MESSAGE, text), log::onWarning, exempt(hook, accounts));
                }
                Fdt fdt = network.applied(context.fdt());
                if (certificate != null) {
                    if (accounts != null) {
                        certificate.passOn(accounts::certificate);
                    }
                    certificate.begin();
                    fdt = fdt.withCertificate(certificate);
                }
                RunningServer running =
                        RunningServer.start(fdt, server, once, observers, accounts, ssh == null ? null : ssh.access());
                started.set(running);
                if (ssh != null) {
                    ssh.onReady(running);
                } else {
                    HostPort address = new HostPort(listen.host(), running.port());
                    log.onReady(address, server.roots().directories().isEmpty(), Version.number());
                }
                return running;
            });
            if (ssh == null) {
                log.onStop(exitCode);
            }
            return exitCode;
        }
    }

    /** Null if there is no place for it. */
    private static @Nullable TransferLog transferLog(List<TransferLogPlace> places, Context context, ServerLog log) {
        return places.isEmpty()
                ? null
                : new TransferLog(
                        places.stream()
                                .map(place -> place.open(context, log::onWarning))
                                .toList(),
                        Caption.of(Path.of("/"), null, Version.software()).host(),
                        log::onWarning);
    }

    /** The threads that start other programs, which may need any file. */
    private static int[] exempt(@Nullable SessionHook hook, @Nullable AccountHelpers accounts) {
        return IntStream.of(hook == null ? 0 : hook.kernelThread(), accounts == null ? 0 : accounts.kernelThread())
                .filter(thread -> thread != 0)
                .toArray();
    }

    /** Only root can become other accounts. */
    private static @Nullable AccountHelpers accounts(
            List<String> args, ServerSettings server, @Nullable SshServing ssh, Context context) {
        return ssh == null && context.signals().ofOwnProcess() && Libc.geteuid() == 0
                ? new AccountHelpers(args, server.limits(), Threads::start)
                : null;
    }

    /** What the operator wants to know of all files. */
    private record WantedChecksums(Checksums checksums) implements ServerObserver {}

    private static @Nullable SessionHook hook(Settings settings, ServerLog log) {
        Hook hook = Hook.of(settings.find(ServerOptions.ON_SESSION, text -> text), log::onWarning);
        return hook == null ? null : new SessionHook(hook, log::onWarning);
    }

    private static boolean isForSsh(Settings settings) {
        Option option = ServerOptions.FOR_SSH;
        return settings.get(option, text -> option.value().words().contains(text) || Words.bool(text));
    }

    /** Returns the settings. Over ssh, ignores those that are for another server, such as its address and roots. */
    static Settings ofThisServer(Settings settings) {
        return isForSsh(settings) ? settings.onlyGiven(ServerOptions.OF_ALL_CLIENTS) : settings;
    }

    /**
     * Returns the settings for the engine. A server over ssh is for one session, whose client can reach everything that
     * this process can.
     */
    static ServerSettings serverSettings(Settings settings, HostPort listen) {
        List<RawPath> roots = settings.all(ServerOptions.ROOT, ServerCommand::root);
        boolean overSsh = isForSsh(settings);
        return new ServerSettings(
                new InetSocketAddress(listen.host(), listen.port()),
                new ExportedRoots(
                        overSsh && roots.isEmpty() ? List.of(RawPath.ofText("/")) : roots,
                        settings.on(ServerOptions.READ_ONLY),
                        overSsh && settings.isPreset(ServerOptions.MODE_MASK)
                                ? 0
                                : settings.get(ServerOptions.MODE_MASK, Words::permissions)),
                ServerLimits.builder()
                        .lanesPerSession(settings.get(ServerOptions.MAX_LANES, Words.number(1, LaneCount.MAX)))
                        .sessions(settings.get(ServerOptions.MAX_SESSIONS, Words.number(1, 1024)))
                        .handshakeMs(settings.get(ServerOptions.HANDSHAKE_TIMEOUT, Times.betweenMs(100, 600_000)))
                        .disconnectedMs(
                                settings.get(ServerOptions.MAX_DISCONNECTED, Times.betweenMs(30_000, 86_400_000)))
                        .rate(settings.get(ServerOptions.RATE_LIMIT, Rates::parse))
                        .memory(
                                settings.get(ServerOptions.MAX_MEMORY, ServerCommand::memoryBytes),
                                TcpSettings.laneMemoryBytes())
                        .clearLanes(settings.choice(ServerOptions.CLEAR_LANES, ClearLanes.class))
                        .build(),
                new TransferLimits(
                        settings.get(ServerOptions.MAX_ENTRIES, Words::countLimit),
                        settings.get(ServerOptions.MAX_BYTES, Sizes::parseLimit),
                        settings.get(ServerOptions.MAX_PATH_BYTES, Words.number(1, 4095)),
                        settings.get(ServerOptions.MAX_PATH_DEPTH, Words.number(1, 4095))),
                new NettestResources(
                        settings.get(ServerOptions.NETTEST_MEMORY, Sizes.between(1 << 20, 1L << 40)),
                        settings.file(ServerOptions.NETTEST_LOG),
                        settings.get(ServerOptions.NETTEST_LOG_SIZE, Sizes.between(1 << 20, 1L << 44))),
                OutboundRules.parse(settings.all(ServerOptions.THIRD_PARTY, ServerCommand::networks).stream()
                        .flatMap(List::stream)
                        .toList()),
                Tokens.of(settings, listen));
    }

    /** Only what is said there about tokens counts again when the configuration has changed. */
    private static ServerSettings readAgain(
            ServerSettings server, HostPort listen, GivenArguments given, Context context) {
        return server.trusting(new TokenSettings(
                server.tokens().issuers(),
                server.tokens().audiences(),
                new TokenSettings.Origin(Settings.file(context.environment()), () -> {
                    TokenSettings read = Tokens.of(Settings.of("server", given, context.environment()), listen);
                    server.trusting(read).requirePresent();
                    return read;
                })));
    }

    /** Returns the settings for the listening port and the lanes. */
    static Network network(Settings settings, ServerLimits limits) {
        return Network.server(settings)
                .limited(
                        settings.get(ServerOptions.MAX_UNADMITTED, Words.number(1, 65_536)),
                        settings.get(ServerOptions.MAX_CONNECTIONS, Words.number(2, 65_536)),
                        limits.times().handshakeMs(),
                        AddressRules.parse(settings.all(ServerOptions.ALLOW, MonitorOptions::network)));
    }

    private static List<String> networks(String text) throws BadValueException {
        List<String> networks = new ArrayList<>();
        for (String one : text.split(",", -1)) {
            networks.add(MonitorOptions.network(one));
        }
        return networks;
    }

    private static long memoryBytes(String text) throws BadValueException {
        if (text.equals("auto")) {
            return ServerLimits.DEFAULT.held().memoryBytes();
        }
        long bytes = Sizes.parse(text);
        if (bytes < MIN_MEMORY_BYTES) {
            throw new BadValueException("too small for one lane; write at least 1MiB");
        }
        return bytes;
    }

    private static RawPath root(String text) throws BadValueException {
        if (text.isEmpty()) {
            throw new BadValueException("the path is empty; write . for the current directory");
        }
        if (text.startsWith(Location.SCHEME)) {
            throw new BadValueException("a root must be a local directory; write for example /srv/data");
        }
        return RawPath.ofText(text);
    }

    /** What SIGHUP does. */
    private static List<Runnable> reloads(
            @Nullable TransferLog transfers,
            @Nullable ShownCertificate certificate,
            TokenSettings tokens,
            AtomicReference<@Nullable RunningServer> started) {
        List<Runnable> reloads = new ArrayList<>();
        if (transfers != null) {
            reloads.add(transfers::reopen);
        }
        if (certificate != null) {
            reloads.add(certificate::reload);
        }
        if (certificate != null || !tokens.issuers().isEmpty()) {
            reloads.add(() -> {
                RunningServer running = started.get();
                if (running != null) {
                    running.reload();
                }
            });
        }
        return reloads;
    }

    private static int untilSignal(
            Context context,
            FailureReport report,
            Runnable atLast,
            List<Runnable> reloads,
            Supplier<RunningServer> start) {
        // A halted server needs to restore only the terminal: its log is complete, and the next start needs only the
        // journals.
        Lifetime life = Lifetime.untilSignal(context, STOPPING, PATIENCE_MS, atLast);
        ServiceNotice notice = ServiceNotice.of(context.environment());
        if (!reloads.isEmpty() || notice.isHeard()) {
            // A reload of the service: keys are read again whenever they change.
            context.signals().onSignal("HUP", () -> reloads.forEach(Runnable::run));
        }
        int exitCode;
        try {
            RunningServer server = start.get();
            notice.ready();
            life.stoppedBy(why -> {
                notice.stopping();
                server.stop(STOP_MS);
            });
            int ofItsOwn = life.await(() -> Optional.ofNullable(server.await()))
                    .map(Failure::exitCode)
                    .orElse(0);
            exitCode = life.exitCodeOr(ofItsOwn);
        } catch (RuntimeException | Error e) {
            exitCode = life.signal() == null ? report.print(e) : life.exitCodeOr(0);
        }
        life.ended();
        return exitCode;
    }
}
