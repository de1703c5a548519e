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
import io.fdt.cli.option.GivenArguments.GivenOption;
import io.fdt.cli.option.MonitorOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.RdmaOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.ssh.SshSettings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.ChecksumWords;
import io.fdt.cli.value.DigestWord;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.LocalAddresses;
import io.fdt.cli.value.ManifestWord;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.Rates;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.control.Retry;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.FileBounds;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.ModeChange;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection.Handling;
import io.fdt.core.plan.TargetRules.Comparison;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Keep;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlanBuilder;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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

    static final int MIN_CHUNK_BYTES = 128 << 10;
    static final int MAX_CHUNK_BYTES = 8 << 20;

    /** Options of this host's lanes on a network. */
    private static final List<Option> NETWORK = Option.together(
            List.of(
                    ClientOptions.BIND,
                    ClientOptions.TRANSPORT,
                    ClientOptions.SCITAG,
                    CommonOptions.PIN,
                    CommonOptions.SOCKET_BUFFER,
                    CommonOptions.CONGESTION),
            RdmaOptions.ALL);

    /** Options of this host's lanes, and of files that are written from the data. */
    private static final List<Option> HERE = Option.together(List.of(ClientOptions.MANIFEST), NETWORK);

    /** Returns the host that has the files; null for this host. */
    @Nullable String sourceHost() {
        HostPort from = remote.from();
        if (from != null) {
            return from.host();
        }
        return plan.request().direction() == TransferPlan.Direction.PULL ? remoteHost() : null;
    }

    /** Returns the host that receives the files; null for this host. */
    @Nullable String destinationHost() {
        return remote.from() != null || plan.request().direction() == TransferPlan.Direction.PUSH ? remoteHost() : null;
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
        LaneRange lanes = settings.get(ClientOptions.LANES, text -> LaneCount.parse(text, context.cores()));
        JsonMode json = settings.get(ClientOptions.JSON, JsonMode::parse);
        boolean quiet = settings.on(CommonOptions.QUIET);
        ShardRequest shard = ShardRequest.of(given, settings, context.environment());
        Pairs pairs = Pairs.of(given, settings, context.standardInput());
        Route route = shard != null ? shard.route() : pairs != null ? pairs.route() : Route.of(given.operands());
        if (route.isStandardOutput() && json != JsonMode.OFF) {
            throw UserText.refusal("--json and the target " + route.target().display()
                    + " both write to standard output; leave one out");
        }
        checkBetween(given, route);
        checkDetached(given, settings, route);
        checkHere(given, route);
        checkMirror(given, settings, route);
        checkRemoval(settings, route);
        checkStandardInput(given, route);
        WatchedDirectory watched = WatchedDirectory.of(given, settings, route);
        LogForm log = LogForm.of(settings, quiet);
        List<RawPath> paired = pairs == null ? null : pairs.names();
        TransferPlan plan = plan(given, settings, route, shard == null ? null : shard.file(), paired, context, lanes);
        ProgressMode progress = settings.choice(ClientOptions.PROGRESS, ProgressMode.class)
                .resolve(
                        context.console().isTerminal(),
                        quiet || log.json(),
                        json != JsonMode.OFF,
                        context.environment());
        MonitorRequest monitor = MonitorRequest.ofClient(settings, json != JsonMode.OFF, context.environment());
        if (monitor.onTerminal() && (route.isStream() || plan.request().dryRun())) {
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
        LaneRange lanes = plan.request().lanes().count();
        return !route.isStream() && !plan.request().dryRun() && lanes.isFixed() ? lanes.start() : 0;
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

    /** No data passes through this host. */
    private static void checkBetween(GivenArguments given, Route route) {
        if (route.from() != null) {
            given.refuse(
                    HERE,
                    " does not apply to a copy between two servers, because no data passes through this host;"
                            + " leave it out");
        }
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
        given.refuse(
                List.of(
                        ClientOptions.DRY_RUN,
                        ClientOptions.ON_COMPLETE,
                        ClientOptions.PROGRESS,
                        MonitorOptions.MONITOR,
                        MonitorOptions.TUI),
                " does not apply to --detach, because this process does not wait for the copy; use fdt jobs");
    }

    private static void checkHere(GivenArguments given, Route route) {
        if (!route.isHere()) {
            return;
        }
        if (TransferPlan.descriptorOf(route.target()) >= 0) {
            throw UserText.refusal(
                    "the target " + route.target().display() + " needs a remote source; use cat for a local file");
        }
        given.refuse(NETWORK, " does not apply to a copy within this host, which uses no network; leave it out");
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

    /** A mirror needs a complete source, and a directory as target. */
    private static void checkMirror(GivenArguments given, Settings settings, Route route) {
        if (!settings.on(ClientOptions.DELETE)) {
            given.refuse(
                    List.of(ClientOptions.DELETE_EXCLUDED, ClientOptions.MAX_DELETE),
                    " applies only to --delete; add --delete or leave it out");
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

    private static long maxDelete(String text) throws BadValueException {
        int number = Words.digits(text);
        if (number < 0 && !text.equals("none")) {
            throw new BadValueException("not a number from 0 to 999999999, nor none");
        }
        return number < 0 ? Mirror.UNLIMITED : number;
    }

    private static TransferPlan plan(
            GivenArguments given,
            Settings settings,
            Route route,
            @Nullable Path shard,
            @Nullable List<RawPath> paired,
            Context context,
            LaneRange lanes) {
        Long size = settings.find(ClientOptions.SIZE, Sizes::parse);
        Long duration = settings.find(ClientOptions.DURATION, ClientRequest::duration);
        checkZeros(route, size, duration);
        HostPort server = route.server();
        List<InetAddress> addresses = settings.find(ClientOptions.BIND, LocalAddresses::parse);
        WatchedDirectory watched = WatchedDirectory.of(given, settings, route);
        RelativeSources relative = watched == null ? relative(given, settings, route) : watched.asSource();
        List<RawPath> listed = paired == null ? names(settings, route, context) : paired;
        List<RawPath> sources = relative == null ? route.sources() : List.of(relative.directory());
        TransferPlanBuilder plan = TransferPlan.of(route.direction(), sources, route.target())
                .shard(shard)
                .onlyNames(relative == null ? listed : relative.names())
                .rules(rules(given, context))
                .bounds(bounds(given, settings, route))
                .handling(handling(settings, paired != null))
                .modes(modes(settings))
                .existing(settings.choice(ClientOptions.EXISTING, Existing.class))
                .compare(comparison(given, settings))
                .keeps(keeps(settings))
                .resume(settings.on(ClientOptions.RESUME))
                .durability(settings.choice(ClientOptions.DURABLE, Durability.class))
                .directIo(settings.choice(ClientOptions.DIRECT_IO, DirectIo.class))
                .preserve(settings.get(ClientOptions.PRESERVE, ClientRequest::preserve))
                .obeysUmask(settings.isPreset(ClientOptions.PRESERVE) && settings.isPreset(ClientOptions.CHMOD))
                .mirror(mirror(settings))
                .zeros(size == null ? -1 : size)
                .lanes(lanes)
                .digest(DigestWord.kind(settings.word(ClientOptions.DIGEST)))
                .checksums(settings.get(
                        ClientOptions.CHECKSUM,
                        ChecksumWords.among(ClientOptions.CHECKSUM.value().words())))
                .clearLanes(settings.on(ClientOptions.CLEAR_LANES))
                .rate(settings.get(ClientOptions.RATE_LIMIT, Rates::parse))
                .dryRun(settings.on(ClientOptions.DRY_RUN))
                .chunkBytes(settings.get(ClientOptions.CHUNK_SIZE, ClientRequest::chunkBytes))
                .timeoutMs(Network.timeoutMs(settings, ClientOptions.TIMEOUT))
                .localAddresses(addresses == null ? List.of() : addresses)
                .receipt(settings.find(ClientOptions.RECEIPT, Words::rawFile))
                .manifest(settings.find(ClientOptions.MANIFEST, ManifestWord::parse))
                .limits(limits(settings));
        if (duration != null) {
            plan.zeros(Duration.ofNanos(duration));
        }
        return server == null
                ? plan.build()
                : plan.at(server.host(), server.port()).build();
    }

    private static TransferLimits limits(Settings settings) {
        return new TransferLimits(
                settings.get(ClientOptions.MAX_ENTRIES, Words::countLimit),
                settings.get(ClientOptions.MAX_BYTES, Sizes::parseLimit),
                TransferLimits.NONE.pathBytes(),
                TransferLimits.NONE.pathDepth());
    }

    private static void checkZeros(Route route, @Nullable Long size, @Nullable Long duration) {
        if (!route.isZeros()) {
            if (size != null || duration != null) {
                throw UserText.refusal((size != null ? "--size" : "--duration") + ALONE);
            }
        } else if (size == null && duration == null) {
            throw UserText.refusal("the source /dev/zero is endless; add --size SIZE or --duration TIME");
        } else if (size != null && duration != null) {
            throw UserText.refusal("--size and --duration both limit /dev/zero; give only one of them");
        }
    }

    private static long duration(String text) throws BadValueException {
        long nanos = Times.parseNanos(text);
        if (nanos == 0) {
            throw new BadValueException("must be longer than zero; write for example 30s");
        }
        return nanos;
    }

    private static @Nullable RelativeSources relative(GivenArguments given, Settings settings, Route route) {
        if (!settings.on(ClientOptions.RELATIVE)) {
            return null;
        }
        given.refuse(
                List.of(ClientOptions.FILES_FROM, ClientOptions.NUL),
                " cannot be combined with --relative; its paths continue below the target anyway");
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

    /** Returns the path rules in the order given, including those in files. */
    public static List<PathRule> rules(GivenArguments given, Context context) {
        List<PathRule> rules = new ArrayList<>();
        for (GivenOption one : given.options()) {
            String name = one.option().name();
            boolean include = one.option().equals(ClientOptions.INCLUDE);
            if (include || one.option().equals(ClientOptions.EXCLUDE)) {
                if (one.text().isEmpty()) {
                    throw UserText.refusal(name + " '': an empty pattern matches nothing; write a GLOB");
                }
                rules.add(new PathRule(include, RawPath.ofText(one.text())));
            } else if (one.option().equals(ClientOptions.INCLUDE_FROM)
                    || one.option().equals(ClientOptions.EXCLUDE_FROM)) {
                rules.addAll(ListFile.rules(one.option(), one.text(), context.standardInput()));
            }
        }
        return rules;
    }

    private static FileBounds bounds(GivenArguments given, Settings settings, Route route) {
        if (route.isZeros() || route.readsStandardInput()) {
            given.refuse(
                    List.of(
                            ClientOptions.MIN_SIZE,
                            ClientOptions.MAX_SIZE,
                            ClientOptions.NEWER,
                            ClientOptions.COPY_LINKS,
                            ClientOptions.ONE_FILE_SYSTEM,
                            ClientOptions.CHMOD,
                            ClientOptions.GROWING,
                            ClientOptions.REMOVE_SOURCE),
                    " does not apply to the source " + route.sources().get(0).display() + "; leave it out");
        }
        Long min = settings.find(ClientOptions.MIN_SIZE, Sizes::parse);
        Long max = settings.find(ClientOptions.MAX_SIZE, Sizes::parse);
        if (min != null && max != null && min > max) {
            throw UserText.refusal("--min-size is larger than --max-size, so no file would be copied");
        }
        Instant newer = settings.find(ClientOptions.NEWER, Times::past);
        return new FileBounds(min == null ? 0 : min, max == null ? Long.MAX_VALUE : max, newer);
    }

    private static Set<Handling> handling(Settings settings, boolean paired) {
        Set<Handling> set = EnumSet.noneOf(Handling.class);
        if (paired) {
            set.add(Handling.PAIRS);
        }
        if (settings.on(ClientOptions.COPY_LINKS)) {
            set.add(Handling.COPY_LINKS);
        }
        if (settings.on(ClientOptions.ONE_FILE_SYSTEM)) {
            set.add(Handling.ONE_FILE_SYSTEM);
        }
        if (settings.word(ClientOptions.GROWING).equals("snapshot")) {
            set.add(Handling.GROWING);
        }
        if (settings.on(ClientOptions.REMOVE_SOURCE)) {
            set.add(Handling.REMOVE);
        }
        return set;
    }

    private static ModeChange modes(Settings settings) {
        ModeChange change = settings.find(ClientOptions.CHMOD, ClientRequest::modes);
        if (change == null) {
            return ModeChange.NONE;
        }
        if (!settings.get(ClientOptions.PRESERVE, ClientRequest::preserve).contains(Preserve.MODE)) {
            throw UserText.refusal("--chmod needs modes that are preserved; add mode to --preserve, or leave it out");
        }
        return change;
    }

    private static ModeChange modes(String text) throws BadValueException {
        ModeChange change = ModeChange.parse(text);
        if (change == null) {
            throw new BadValueException("not a change of modes; write for example D755,F644 or ug+rwX,o-w");
        }
        return change;
    }

    private static Set<Keep> keeps(Settings settings) {
        Set<Keep> set = EnumSet.noneOf(Keep.class);
        if (settings.on(ClientOptions.UPDATE)) {
            set.add(Keep.NEWER);
        }
        if (settings.on(ClientOptions.KEEP_DIRLINKS)) {
            set.add(Keep.DIRECTORY_LINKS);
        }
        return set;
    }

    private static Comparison comparison(GivenArguments given, Settings settings) {
        if (!settings.on(ClientOptions.SIZE_ONLY)) {
            return settings.choice(ClientOptions.COMPARE, Comparison.class);
        }
        given.refuse(List.of(ClientOptions.COMPARE), " cannot be combined with --size-only; leave one out");
        return Comparison.SIZE;
    }

    private static @Nullable Mirror mirror(Settings settings) {
        return settings.on(ClientOptions.DELETE)
                ? new Mirror(
                        settings.get(ClientOptions.MAX_DELETE, ClientRequest::maxDelete),
                        settings.on(ClientOptions.DELETE_EXCLUDED))
                : null;
    }

    public static Set<Preserve> preserve(String text) throws BadValueException {
        Set<Preserve> kept = EnumSet.noneOf(Preserve.class);
        if (text.equals("none")) {
            return kept;
        }
        if (text.equals("all")) {
            return EnumSet.allOf(Preserve.class);
        }
        List<String> words = Preserve.words();
        for (String word : text.split(",", -1)) {
            if (!words.contains(word)) {
                throw new BadValueException("not a combination of " + String.join(", ", words)
                        + " separated by commas, and not all or none" + Nearest.hint(word, words));
            }
            kept.add(Preserve.valueOf(word.toUpperCase(Locale.ROOT)));
        }
        return kept;
    }

    static int chunkBytes(String text) throws BadValueException {
        long bytes = Sizes.parse(text);
        if (bytes < MIN_CHUNK_BYTES || bytes > MAX_CHUNK_BYTES || Long.bitCount(bytes) != 1) {
            throw new BadValueException("not a chunk size; use one of 128KiB, 256KiB, 512KiB, 1MiB, 2MiB, 4MiB, 8MiB");
        }
        return (int) bytes;
    }
}
