package io.fdt.cli.copy;

import io.fdt.cli.command.Context;
import io.fdt.cli.console.Terminal;
import io.fdt.cli.display.JsonMode;
import io.fdt.cli.display.LogForm;
import io.fdt.cli.display.ProgressMode;
import io.fdt.cli.display.TextDisplay;
import io.fdt.cli.monitor.MonitorRequest;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.ssh.SshSettings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.control.Retry;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checked {@code client} command: what to copy and how to show it.
 *
 * @param retryNanos how long to try again after a failure that may be temporary
 * @param watched the directory to watch, below the source; null for a copy that ends by itself
 * @param askedLanes the number that the user requested for files; 0 for none
 */
public record ClientRequest(
        TransferPlan plan,
        RemoteEnds remote,
        long retryNanos,
        int askedLanes,
        Network network,
        Output output,
        @Nullable RawPath watched) {

    /**
     * How the ends that are not this process are reached.
     *
     * @param from the server with the sources, if neither side is this host
     * @param ssh how to start the remote end over ssh first, or null
     * @param jobKey the key line of the job that a shard belongs to, or null
     * @param detached whether the copy between two servers goes on without this process
     */
    record RemoteEnds(
            @Nullable HostPort from,
            @Nullable SshSettings ssh,
            @Nullable String jobKey,
            boolean detached) {
        /** Whether the copy needs nothing but running servers, and the keys of this host for them. */
        boolean areServers() {
            return ssh == null && jobKey == null;
        }
    }

    /** What the copy tells while it runs and at its end. */
    record Output(
            JsonMode json, ProgressMode progress, boolean verbose, boolean quiet, LogForm log, MonitorRequest monitor) {
        boolean isJson() {
            return json != JsonMode.OFF;
        }

        TextDisplay.Manner manner(boolean dryRun) {
            return new TextDisplay.Manner(
                    progress,
                    verbose || log.isDebug(),
                    quiet || log.isQuiet(),
                    !isJson() && !quiet && log.hasFigures(),
                    !isJson(),
                    !isJson() && dryRun);
        }
    }

    /** Returns the host that has the files; null for this host. */
    @Nullable String sourceHost() {
        HostPort from = remote.from();
        if (from != null) {
            return from.host();
        }
        return plan.direction() == TransferPlan.Direction.PULL ? remoteHost() : null;
    }

    /** Returns the host that receives the files; null for this host. */
    @Nullable String destinationHost() {
        return remote.from() != null || plan.direction() == TransferPlan.Direction.PUSH ? remoteHost() : null;
    }

    private @Nullable String remoteHost() {
        SshSettings ssh = remote.ssh();
        if (ssh != null) {
            return ssh.host().host();
        }
        return plan.server().isNone() ? null : plan.server().host();
    }

    private static final String ALONE = " applies only to the source /dev/zero; leave it out";

    /** Reads and checks all options; opens only files with lists, such as that of {@code --files-from}. */
    static ClientRequest of(GivenArguments given, Settings settings, Context context) {
        // Before the operands are counted: -P of rsync and rclone takes no value, so this may be a source.
        settings.get(ClientOptions.LANES, text -> LaneCount.parse(text, context.cores()));
        JsonMode json = settings.get(ClientOptions.JSON, JsonMode::parse);
        boolean quiet = settings.on(CommonOptions.QUIET);
        ShardRequest shard = ShardRequest.of(given, settings, context.environment());
        Pairs pairs = Pairs.of(given, settings, context.standardInput());
        Route route = shard != null ? shard.route() : pairs != null ? pairs.route() : Route.of(given.operands());
        if (route.isStandardOutput() && json != JsonMode.OFF) {
            throw UserText.refusal("--json and the target " + route.target().display()
                    + " both write to standard output; leave one out");
        }
        if (route.from() != null) {
            CopyRows.Kind.BETWEEN_SERVERS.refuse(given);
        }
        if (route.isZeros() || route.readsStandardInput()) {
            CopyRows.Kind.STREAM.refuse(given, route.sources().get(0).display());
        }
        checkDetached(given, settings, route);
        checkHere(given, route);
        checkRange(given, settings);
        checkMirror(given, settings, route);
        checkRemoval(settings, route);
        checkStandardInput(given, route);
        WatchedDirectory watched = WatchedDirectory.of(given, settings, route);
        LogForm log = LogForm.of(settings, quiet);
        List<RawPath> paired = pairs == null ? null : pairs.names();
        TransferPlan plan = plan(given, settings, route, shard == null ? null : shard.file(), paired, context);
        ProgressMode progress = settings.choice(ClientOptions.PROGRESS, ProgressMode.class)
                .resolve(
                        context.console().isTerminal(),
                        quiet || log.json(),
                        json != JsonMode.OFF,
                        context.environment());
        MonitorRequest monitor = MonitorRequest.ofClient(settings, json != JsonMode.OFF, context.environment());
        if (monitor.onTerminal() && (route.isStream() || plan.dryRun())) {
            throw UserText.refusal(
                    "--tui and " + (route.isStream() ? "-" : "--dry-run") + " both need the terminal; leave one out");
        }
        return new ClientRequest(
                plan,
                new RemoteEnds(
                        route.from(),
                        RemoteEnd.ofCopy(route, given, settings),
                        shard == null ? null : shard.keyLine(),
                        settings.on(ClientOptions.DETACH)),
                retryNanos(given, settings, route),
                askedLanes(route, plan),
                network(settings),
                new Output(
                        json,
                        monitor.onTerminal() ? ProgressMode.NONE : progress,
                        settings.on(CommonOptions.VERBOSE),
                        quiet,
                        log,
                        monitor),
                watched == null ? null : watched.name());
    }

    private static Network network(Settings settings) {
        SciTag tag = settings.find(ClientOptions.SCITAG, SciTag::parse);
        Network network = Network.client(settings);
        return tag == null ? network : network.withFlowLabels(tag::flowLabel);
    }

    /**
     * Returns the number of lanes that the user requested, or 0 for none. A stream has one lane, and a dry run has
     * none.
     */
    private static int askedLanes(Route route, TransferPlan plan) {
        LaneRange lanes = plan.get(CopyValue.LANES);
        return !route.isStream() && !plan.dryRun() && lanes.isFixed() ? lanes.start() : 0;
    }

    /** Returns how long to retry. Data that was read from a stream or written to one cannot be repeated. */
    private static long retryNanos(GivenArguments given, Settings settings, Route route) {
        Long nanos = settings.find(ClientOptions.RETRY, ClientRequest::retryLimit);
        if (settings.on(ClientOptions.WATCH)) {
            return Retry.FOREVER;
        }
        if (!route.isStream() && settings.choice(ClientOptions.EXISTING, Existing.class) != Existing.FAIL) {
            return nanos == null ? Retry.NEVER : nanos;
        }
        if (given.has(ClientOptions.RETRY)) {
            throw UserText.refusal(
                    route.isStream()
                            ? "--retry does not apply to - because a stream cannot be repeated; leave it out, or copy"
                                    + " a file"
                            : "--retry does not apply to --existing fail because a second attempt would fail on what"
                                    + " the first has copied; leave it out, or use --existing skip");
        }
        return Retry.NEVER;
    }

    static long retryLimit(String text) throws BadValueException {
        if (text.equals("forever")) {
            return Retry.FOREVER;
        }
        try {
            long nanos = Times.parseNanos(text);
            if (nanos > 0) {
                return nanos;
            }
        } catch (BadValueException e) {
            throw new BadValueException(e.expected() + ", or forever");
        }
        throw new BadValueException("must be longer than zero; write for example 2h, or forever");
    }

    /** Nobody is there to see the copy or its end. */
    private static void checkDetached(GivenArguments given, Settings settings, Route route) {
        if (!settings.on(ClientOptions.DETACH)) {
            return;
        }
        if (route.from() == null) {
            throw UserText.refusal("--detach applies only to a copy between two servers, fdt://A/PATH fdt://B/PATH; to"
                    + " leave any other copy running, use systemd-run --user with --retry");
        }
        CopyRows.Kind.DETACHED.refuse(given);
    }

    private static void checkHere(GivenArguments given, Route route) {
        if (!route.isHere()) {
            return;
        }
        if (TransferPlan.descriptorOf(route.target()) >= 0) {
            throw UserText.refusal(
                    "the target " + route.target().display() + " needs a remote source; use cat for a local file");
        }
        CopyRows.Kind.WITHIN_HOST.refuse(given);
    }

    /** The second reader would find it empty. */
    private static void checkStandardInput(GivenArguments given, Route route) {
        List<String> readers = new ArrayList<>();
        for (Option list : List.of(ClientOptions.FILES_FROM, ClientOptions.PAIRS)) {
            if (given.texts(list).stream().reduce("", (first, last) -> last).equals("-")) {
                readers.add(list.name() + " -");
            }
        }
        for (Option list : List.of(ClientOptions.INCLUDE_FROM, ClientOptions.EXCLUDE_FROM)) {
            given.texts(list).stream().filter("-"::equals).forEach(text -> readers.add(list.name() + " -"));
        }
        if (route.readsStandardInput()) {
            if (Terminal.isInputClosed()) {
                throw Cause.SOURCE.failure("standard input: is closed");
            }
            readers.add("the source -");
        }
        if (readers.size() > 1) {
            throw UserText.refusal(
                    readers.get(0) + " and " + readers.get(1) + " both read standard input; leave one out");
        }
    }

    /** What an earlier run left may be of another range. */
    private static void checkRange(GivenArguments given, Settings settings) {
        if (given.has(ClientOptions.RANGE) && settings.on(ClientOptions.RESUME)) {
            given.refuse(
                    List.of(ClientOptions.RESUME), " does not apply to --range, which is copied anew; leave it out");
        }
    }

    /** A mirror needs a complete source, and a directory as target. */
    private static void checkMirror(GivenArguments given, Settings settings, Route route) {
        if (!settings.on(ClientOptions.DELETE)) {
            return;
        }
        if (given.has(ClientOptions.FILES_FROM) || settings.on(ClientOptions.RELATIVE)) {
            throw UserText.refusal("--delete needs a whole directory as source; leave it out, or "
                    + (given.has(ClientOptions.FILES_FROM) ? "--files-from" : "--relative"));
        } else if (route.isZeros() || route.readsStandardInput()) {
            throw UserText.refusal("--delete needs a directory as source; leave it out");
        } else if (route.isDescriptor() || route.target().equals(TransferPlan.DEV_NULL)) {
            throw UserText.refusal("--delete needs a directory as target; leave it out");
        }
    }

    /** Only local files that have a verified and durable copy may be removed. */
    private static void checkRemoval(Settings settings, Route route) {
        if (!settings.on(ClientOptions.REMOVE_SOURCE)) {
            return;
        }
        if (route.from() != null || route.direction() == TransferPlan.Direction.PULL) {
            throw UserText.refusal(
                    "--remove-source removes local files only, not those of a server; run fdt on the host with the"
                            + " source");
        } else if (route.isDescriptor() || route.target().equals(TransferPlan.DEV_NULL)) {
            throw UserText.refusal("--remove-source needs files as target; leave it out");
        } else if (settings.word(ClientOptions.DURABLE).equals("none")
                || settings.word(ClientOptions.DIGEST).equals("none")
                || settings.on(ClientOptions.COPY_LINKS)) {
            throw UserText.refusal(
                    "--remove-source cannot be used with --durable none, --digest none or --copy-links; leave one out");
        } else if (settings.on(ClientOptions.DELETE)) {
            throw UserText.refusal(
                    "--remove-source cannot be used with --delete, which would delete the only copies of what is removed"
                            + " when the command runs again; leave one out");
        }
    }

    private static TransferPlan plan(
            GivenArguments given,
            Settings settings,
            Route route,
            @Nullable Path shard,
            @Nullable List<RawPath> paired,
            Context context) {
        checkZeros(settings, route);
        WatchedDirectory watched = WatchedDirectory.of(given, settings, route);
        RelativeSources relative = watched == null ? relative(given, settings, route) : watched.asSource();
        List<RawPath> listed = paired == null ? names(settings, route, context) : paired;
        List<RawPath> sources = relative == null ? route.sources() : List.of(relative.directory());
        TransferPlan plan = TransferPlan.of(route.direction(), sources, route.target())
                .with(CopyValue.SHARD, shard)
                .with(CopyValue.NAMES, relative == null ? listed : relative.names())
                .with(CopyValue.PAIRS, paired != null);
        HostPort server = route.server();
        return CopyRows.applied(server == null ? plan : plan.at(server.host(), server.port()), settings, context);
    }

    private static void checkZeros(Settings settings, Route route) {
        boolean size = settings.given().has(ClientOptions.SIZE);
        boolean duration = settings.given().has(ClientOptions.DURATION);
        if (!route.isZeros()) {
            if (size || duration) {
                throw UserText.refusal((size ? "--size" : "--duration") + ALONE);
            }
        } else if (!size && !duration) {
            throw UserText.refusal("the source /dev/zero is endless; add --size SIZE or --duration TIME");
        } else if (size && duration) {
            throw UserText.refusal("--size and --duration both limit /dev/zero; give only one of them");
        }
    }

    private static @Nullable RelativeSources relative(GivenArguments given, Settings settings, Route route) {
        if (!settings.on(ClientOptions.RELATIVE)) {
            return null;
        }
        CopyRows.Kind.RELATIVE.refuse(given);
        if (route.isZeros() || route.readsStandardInput() || route.isDescriptor()) {
            throw UserText.refusal("--relative needs files and directories; leave it out");
        }
        return RelativeSources.of(route.sources());
    }

    private static @Nullable List<RawPath> names(Settings settings, Route route, Context context) {
        String file = settings.find(ClientOptions.FILES_FROM, Words::name);
        boolean nul = settings.on(ClientOptions.NUL);
        if (file == null) {
            if (nul) {
                throw UserText.refusal("-0 applies only to --files-from and --pairs; leave it out");
            }
            return null;
        }
        if (route.sources().size() > 1 || route.isZeros() || route.readsStandardInput()) {
            throw UserText.refusal(
                    "--files-from lists paths below one source directory; give that directory as the only source");
        }
        List<RawPath> names = ListFile.read(file, nul, context.standardInput());
        if (names.isEmpty()) {
            throw UserText.refusal("--files-from: the list is empty");
        }
        return names;
    }
}
