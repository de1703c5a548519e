package io.fdt.cli.copy;

import io.fdt.cli.command.Context;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.GivenArguments.GivenOption;
import io.fdt.cli.option.MonitorOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.RdmaOptions;
import io.fdt.cli.option.Row;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HashWords;
import io.fdt.cli.value.LaneCount;
import io.fdt.cli.value.LocalAddresses;
import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.Ranges;
import io.fdt.cli.value.Rates;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.digest.FileHash;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileBounds;
import io.fdt.core.plan.ModeChange;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Comparison;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.Zeros;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The options of a copy: the value that each sets, and the kinds of copies in which it has no meaning. */
public final class CopyRows {
    /** Kinds of copies in which some options have no meaning. */
    enum Kind {
        BETWEEN_SERVERS(" does not apply to a copy between two servers, because no data passes through this host; leave"
                + " it out"),
        DETACHED(" does not apply to --detach, because this process does not wait for the copy; use fdt jobs"),
        WITHIN_HOST(" does not apply to a copy within this host, which uses no network; leave it out"),
        STREAM(" does not apply to the source %s; leave it out"),
        PAIRED(" cannot be combined with --pairs; leave one out"),
        RELATIVE(" cannot be combined with --relative; its paths continue below the target anyway"),
        WATCHED(" cannot be combined with --watch; leave one out"),
        OF_A_BATCH(" does not apply to one copy of a batch; leave it out");

        private final String why;

        Kind(String why) {
            this.why = why;
        }

        /** Throws USAGE for an option that has no meaning in a copy of this kind, with what the reason names. */
        void refuse(GivenArguments given, Object... named) {
            for (Row<?, ?> row : ROWS) {
                if (row.meaningless().contains(this)) {
                    given.refuse(row.options(), String.format(why, named));
                }
            }
        }
    }

    private static final List<Row<?, ? super Context>> ROWS = List.of(
            // What to copy.
            Row.of(
                    CopyValue.RULES,
                    List.of(
                            ClientOptions.INCLUDE,
                            ClientOptions.EXCLUDE,
                            ClientOptions.INCLUDE_FROM,
                            ClientOptions.EXCLUDE_FROM),
                    (settings, context) -> rules(settings.given(), context)),
            Row.of(
                            CopyValue.BOUNDS,
                            List.of(ClientOptions.MIN_SIZE, ClientOptions.MAX_SIZE, ClientOptions.NEWER),
                            CopyRows::bounds)
                    .except(Kind.STREAM),
            Row.of(CopyValue.RANGE, ClientOptions.RANGE, Ranges::parse)
                    .except(Kind.STREAM, Kind.PAIRED, Kind.RELATIVE, Kind.WATCHED),
            Row.of(CopyValue.ZEROS, List.of(ClientOptions.SIZE, ClientOptions.DURATION), CopyRows::zeros),
            Row.flag(CopyValue.DRY_RUN, ClientOptions.DRY_RUN).except(Kind.DETACHED, Kind.WATCHED),
            Row.flag(CopyValue.COPY_LINKS, ClientOptions.COPY_LINKS).except(Kind.STREAM, Kind.WATCHED),
            Row.flag(CopyValue.ONE_FILE_SYSTEM, ClientOptions.ONE_FILE_SYSTEM).except(Kind.STREAM, Kind.WATCHED),
            Row.of(CopyValue.CHMOD, List.of(ClientOptions.CHMOD), CopyRows::modeChange)
                    .except(Kind.STREAM),
            Row.of(CopyValue.GROWING, ClientOptions.GROWING, "snapshot"::equals).except(Kind.STREAM),
            Row.flag(CopyValue.REMOVE_SOURCE, ClientOptions.REMOVE_SOURCE).except(Kind.STREAM),
            Row.of(ClientOptions.FILES_FROM).except(Kind.PAIRED, Kind.RELATIVE, Kind.WATCHED),
            Row.of(ClientOptions.NUL).except(Kind.RELATIVE),
            Row.of(ClientOptions.RELATIVE).except(Kind.PAIRED),
            Row.of(ClientOptions.PAIRS, ClientOptions.SHARD).except(Kind.WATCHED),
            // On the target.
            Row.choice(CopyValue.EXISTING, ClientOptions.EXISTING, Existing.class),
            Row.of(CopyValue.COMPARE, List.of(ClientOptions.COMPARE, ClientOptions.SIZE_ONLY), CopyRows::comparison),
            Row.flag(CopyValue.UPDATE, ClientOptions.UPDATE),
            Row.flag(CopyValue.KEEP_DIRLINKS, ClientOptions.KEEP_DIRLINKS),
            Row.flag(CopyValue.RESUME, ClientOptions.RESUME),
            Row.choice(CopyValue.DURABLE, ClientOptions.DURABLE, Durability.class),
            Row.choice(CopyValue.DIRECT_IO, ClientOptions.DIRECT_IO, DirectIo.class),
            Row.of(CopyValue.PRESERVE, ClientOptions.PRESERVE, CopyRows::preserve),
            Row.of(
                    CopyValue.OBEYS_UMASK,
                    List.of(),
                    (settings, context) ->
                            settings.isPreset(ClientOptions.PRESERVE) && settings.isPreset(ClientOptions.CHMOD)),
            Row.of(CopyValue.MIRROR, List.of(ClientOptions.DELETE), CopyRows::mirror)
                    .except(Kind.PAIRED, Kind.WATCHED),
            // How to move it.
            Row.of(
                    CopyValue.LANES,
                    List.of(ClientOptions.LANES),
                    (settings, context) ->
                            settings.get(ClientOptions.LANES, text -> LaneCount.parse(text, context.cores()))),
            Row.flag(CopyValue.CLEAR_LANES, ClientOptions.CLEAR_LANES),
            Row.of(CopyValue.RATE_LIMIT, ClientOptions.RATE_LIMIT, Rates::parse),
            Row.of(
                    CopyValue.TIMEOUT_MS,
                    List.of(ClientOptions.TIMEOUT),
                    (settings, context) -> Network.timeoutMs(settings, ClientOptions.TIMEOUT)),
            Row.of(
                    CopyValue.DIGEST,
                    List.of(ClientOptions.DIGEST),
                    (settings, context) -> HashWords.digest(settings.word(ClientOptions.DIGEST))),
            Row.of(CopyValue.CHECKSUMS, List.of(ClientOptions.CHECKSUM), CopyRows::checksums),
            Row.of(CopyValue.CHUNK_BYTES, ClientOptions.CHUNK_SIZE, CopyRows::chunkBytes),
            Row.of(CopyValue.LIMITS, List.of(ClientOptions.MAX_ENTRIES, ClientOptions.MAX_BYTES), CopyRows::limits),
            Row.of(CopyValue.LOCAL_ADDRESSES, ClientOptions.BIND, LocalAddresses::parse)
                    .except(Kind.BETWEEN_SERVERS, Kind.WITHIN_HOST),
            Row.of(ClientOptions.SCITAG).except(Kind.BETWEEN_SERVERS, Kind.WITHIN_HOST, Kind.OF_A_BATCH),
            Row.of(ClientOptions.TRANSPORT, CommonOptions.PIN, CommonOptions.SOCKET_BUFFER, CommonOptions.CONGESTION)
                    .except(Kind.BETWEEN_SERVERS, Kind.WITHIN_HOST),
            Row.of(RdmaOptions.ALL.toArray(Option[]::new)).except(Kind.BETWEEN_SERVERS, Kind.WITHIN_HOST),
            Row.of(ClientOptions.RETRY).except(Kind.WATCHED, Kind.OF_A_BATCH),
            // What is told of it.
            Row.of(CopyValue.RECEIPT, ClientOptions.RECEIPT, Words::rawFile).except(Kind.WATCHED),
            Row.of(CopyValue.MANIFEST, ClientOptions.MANIFEST, HashWords::manifest)
                    .except(Kind.BETWEEN_SERVERS, Kind.WATCHED),
            Row.of(ClientOptions.ON_COMPLETE, ClientOptions.PROGRESS, MonitorOptions.MONITOR, MonitorOptions.TUI)
                    .except(Kind.DETACHED, Kind.OF_A_BATCH),
            Row.of(
                            ClientOptions.JSON,
                            ClientOptions.DETACH,
                            ClientOptions.WATCH,
                            CommonOptions.QUIET,
                            CommonOptions.VERBOSE,
                            CommonOptions.HELP,
                            CommonOptions.VERSION,
                            CommonOptions.LOG_LEVEL,
                            CommonOptions.LOG_JSON,
                            MonitorOptions.RECORD,
                            MonitorOptions.PUSH)
                    .except(Kind.OF_A_BATCH));

    private CopyRows() {}

    /** Returns the plan with the values of all options. */
    static TransferPlan applied(TransferPlan plan, Settings settings, Context context) {
        TransferPlan with = plan;
        for (Row<?, ? super Context> row : ROWS) {
            with = row.into(with, settings, context);
        }
        // What an earlier run left may be of another range.
        return with.has(CopyValue.RANGE) ? with.with(CopyValue.RESUME, false) : with;
    }

    // ---- Values that are more than one word of one option.

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

    private static FileBounds bounds(Settings settings, Context context) {
        Long min = settings.find(ClientOptions.MIN_SIZE, Sizes::parse);
        Long max = settings.find(ClientOptions.MAX_SIZE, Sizes::parse);
        if (min != null && max != null && min > max) {
            throw UserText.refusal("--min-size is larger than --max-size, so no file would be copied");
        }
        return new FileBounds(
                min == null ? 0 : min,
                max == null ? Long.MAX_VALUE : max,
                settings.find(ClientOptions.NEWER, Times::past));
    }

    private static Zeros zeros(Settings settings, Context context) {
        Long bytes = settings.find(ClientOptions.SIZE, Sizes::parse);
        Long nanos = settings.find(ClientOptions.DURATION, CopyRows::duration);
        return new Zeros(bytes == null ? -1 : bytes, nanos == null ? -1 : nanos);
    }

    private static long duration(String text) throws BadValueException {
        long nanos = Times.parseNanos(text);
        if (nanos == 0) {
            throw new BadValueException("must be longer than zero; write for example 30s");
        }
        return nanos;
    }

    private static @Nullable ModeChange modeChange(Settings settings, Context context) {
        ModeChange change = settings.find(ClientOptions.CHMOD, CopyRows::modes);
        if (change != null
                && !settings.get(ClientOptions.PRESERVE, CopyRows::preserve).contains(Preserve.MODE)) {
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

    private static Comparison comparison(Settings settings, Context context) {
        if (!settings.on(ClientOptions.SIZE_ONLY)) {
            return settings.choice(ClientOptions.COMPARE, Comparison.class);
        }
        settings.given().refuse(List.of(ClientOptions.COMPARE), " cannot be combined with --size-only; leave one out");
        return Comparison.SIZE;
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

    private static @Nullable Mirror mirror(Settings settings, Context context) {
        if (!settings.on(ClientOptions.DELETE)) {
            settings.given()
                    .refuse(
                            List.of(ClientOptions.DELETE_EXCLUDED, ClientOptions.MAX_DELETE),
                            " applies only to --delete; add --delete or leave it out");
            return null;
        }
        return new Mirror(
                settings.get(ClientOptions.MAX_DELETE, CopyRows::maxDelete),
                settings.on(ClientOptions.DELETE_EXCLUDED));
    }

    private static long maxDelete(String text) throws BadValueException {
        int number = Words.digits(text);
        if (number < 0 && !text.equals("none")) {
            throw new BadValueException("not a number from 0 to 999999999, nor none");
        }
        return number < 0 ? Mirror.UNLIMITED : number;
    }

    private static @Nullable TransferLimits limits(Settings settings, Context context) {
        return settings.isPreset(ClientOptions.MAX_ENTRIES) && settings.isPreset(ClientOptions.MAX_BYTES)
                ? null
                : new TransferLimits(
                        settings.get(ClientOptions.MAX_ENTRIES, Words::countLimit),
                        settings.get(ClientOptions.MAX_BYTES, Sizes::parseLimit),
                        TransferLimits.NONE.pathBytes(),
                        TransferLimits.NONE.pathDepth());
    }

    private static List<FileHash> checksums(Settings settings, Context context) {
        return settings
                .get(
                        ClientOptions.CHECKSUM,
                        HashWords.among(ClientOptions.CHECKSUM.value().words()))
                .stream()
                .sorted()
                .toList();
    }

    private static int chunkBytes(String text) throws BadValueException {
        long bytes = Sizes.parse(text);
        if (bytes < 128 << 10 || bytes > CopyValue.MAX_CHUNK_BYTES || Long.bitCount(bytes) != 1) {
            throw new BadValueException("not a chunk size; use one of 128KiB, 256KiB, 512KiB, 1MiB, 2MiB, 4MiB, 8MiB");
        }
        return (int) bytes;
    }
}
