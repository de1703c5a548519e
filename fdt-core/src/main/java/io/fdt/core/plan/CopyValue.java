package io.fdt.core.plan;

import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.TargetRules.Comparison;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.plan.Value.Side;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The values of a copy. The defaults are those of the command {@code client}: every chunk hashed with XXH3, encrypted
 * lanes, files that are the same on the target skipped, interrupted files resumed, data durable before a file gets its
 * final name, modes, times and links preserved. Names and codes are those of requests.
 */
public final class CopyValue {
    /** The largest chunk, 64 leaves. */
    public static final int MAX_CHUNK_BYTES = 8 << 20;

    private static final int MAX_NAMES = 65_536;
    private static final int MAX_LISTED = 1 << 20;

    // ---- Which way, and how.

    public static final Value<Direction> DIRECTION =
            Value.choice("direction", Side.BOTH, Direction.PUSH, Direction.values());

    /** Nothing is copied, only reported. */
    public static final Value<Boolean> DRY_RUN = Value.flag("dry_run", Side.BOTH, false);

    /** The number of lanes; the server may grant fewer. */
    public static final Value<LaneRange> LANES = Value.of(
            "lanes",
            Side.BOTH,
            LaneRange.auto(1),
            lanes -> List.of((long) lanes.max(), (long) lanes.start(), (long) lanes.min()),
            CopyValue::readLanes);

    /** Lanes are unencrypted, if the server allows it. */
    public static final Value<Boolean> CLEAR_LANES = Value.flag("clear_lanes", Side.BOTH, false);

    /** The maximum rate in bits per second, or 0 for none. */
    public static final Value<Long> RATE_LIMIT = Value.number("rate_limit", Side.BOTH, 0, 0, Long.MAX_VALUE);

    /** How long the session survives a silent peer, and lanes that move nothing. */
    public static final Value<Long> TIMEOUT_MS = Value.number("timeout", Side.BOTH, 30_000, 100, Integer.MAX_VALUE);

    /** Verifies every chunk and file. */
    public static final Value<DigestKind> DIGEST =
            Value.of("digest", Side.BOTH, DigestKind.XXH3_128, digest -> (long) digest.code(), CopyValue::readDigest);

    /** Computed beside the digest while bytes pass; see {@link TransferPlan#hash}. */
    public static final Value<Checksums> SUMS = Value.of(
            "checksums",
            Side.BOTH,
            Checksums.NONE,
            sums -> (long) sums.bits(),
            written -> new Checksums((int) Value.number(written, 0, Checksums.ALL.bits())));

    /** The unit of resuming, a power of two between one leaf and 64 leaves. */
    public static final Value<Integer> CHUNK_BYTES = new Value<>(
            "chunk_size",
            Side.BOTH,
            MAX_CHUNK_BYTES,
            Integer::longValue,
            written -> (int) Value.number(written, TreeDigest.LEAF_BYTES, MAX_CHUNK_BYTES),
            bytes -> Integer.bitCount(bytes) == 1 && bytes >= TreeDigest.LEAF_BYTES && bytes <= MAX_CHUNK_BYTES);

    /** The span of a trace that this copy belongs to, as W3C Trace Context writes it; null if it is not traced. */
    public static final Value<String> TRACE =
            new Value<>("trace", Side.BOTH, null, text -> text, CopyValue::readTrace, CopyValue::isTrace);

    // ---- What is copied.

    /**
     * As the user wrote them: a trailing slash means the contents of a directory. {@code /dev/zero} is endless zeros,
     * {@code -} is standard input.
     */
    public static final Value<List<RawPath>> SOURCES = new Value<>(
            "sources",
            Side.SENDER,
            List.of(),
            sources -> sources.stream().map(RawPath::toBytes).toList(),
            written -> Value.list(written, MAX_LISTED).stream().map(Value::path).toList(),
            sources -> sources.stream().allMatch(CopyValue::isShort));

    /**
     * If not null, paths below the only source, and only these are copied; of {@link #PAIRS}, a path below it and one
     * below the target take turns.
     */
    public static final Value<List<RawPath>> NAMES =
            Value.list("names", Side.SENDER, null, MAX_NAMES, RawPath::toBytes, Value::path);

    /** Each name is followed by the path of its copy, which is exact, with its own directories above it. */
    public static final Value<Boolean> PAIRS = Value.flag("pairs", Side.BOTH, false);

    /** The first one that matches a path decides whether it is copied. Paths without a match are copied. */
    public static final Value<List<PathRule>> RULES = Value.list(
            "filters",
            Side.SENDER,
            List.of(),
            MAX_LISTED,
            rule -> List.of(rule.include(), rule.glob().toBytes()),
            CopyValue::readRule);

    /** Only files within these bounds are copied. */
    public static final Value<FileBounds> BOUNDS =
            Value.of("bounds", Side.SENDER, FileBounds.NONE, CopyValue::write, CopyValue::readBounds);

    /**
     * If not null, what is copied of the only source, a file, up to its end. The copy is a file of its own, without the
     * times of the source, and always written anew.
     */
    public static final Value<Range> RANGE =
            Value.of("range", Side.SENDER, null, range -> List.of(range.offset(), range.lengthBytes()), written -> {
                List<Object> fields = Value.list(written, 16);
                long offset = number(fields, 0, 0, Long.MAX_VALUE);
                return new Range(offset, number(fields, 1, 0, Long.MAX_VALUE - offset));
            });

    /** How much of the source {@code /dev/zero} is sent. */
    public static final Value<Zeros> ZEROS =
            Value.of("zeros", Side.SENDER, Zeros.NONE, zeros -> List.of(zeros.bytes(), zeros.nanos()), written -> {
                List<Object> fields = Value.list(written, 16);
                return new Zeros(number(fields, 0, -1, Long.MAX_VALUE), number(fields, 1, -1, Long.MAX_VALUE));
            });

    /** Copies the targets of symbolic links in place of the links. */
    public static final Value<Boolean> COPY_LINKS = Value.flag("copy_links", Side.SENDER, false);

    /** Copies a growing file up to the size that it had when it was listed. */
    public static final Value<Boolean> GROWING = Value.flag("growing", Side.SENDER, false);

    /** Leaves out what is on another file system than its source. */
    public static final Value<Boolean> ONE_FILE_SYSTEM = Value.flag("one_file_system", Side.SENDER, false);

    /** How the modes of files and directories change on the way. */
    public static final Value<ModeChange> CHMOD =
            Value.of("chmod", Side.SENDER, ModeChange.NONE, ModeChange::text, CopyValue::readModes);

    /** Which metadata of the source the target gets. */
    public static final Value<Set<Preserve>> PRESERVE = Value.of(
            "preserve",
            Side.BOTH,
            Set.of(Preserve.MODE, Preserve.TIMES, Preserve.LINKS),
            set -> (long) Preserve.bits(set),
            written -> Preserve.ofBits(Value.number(written, 0, Long.MAX_VALUE)));

    /** Removes files of which the target has durable copies: a client removes only its own files. */
    public static final Value<Boolean> REMOVE_SOURCE = Value.ofClient("remove_source", false);

    /** The shard of a job to push in place of the sources and what is selected of them. */
    public static final Value<Path> SHARD = Value.ofClient("shard", null);

    // ---- On the target.

    /** {@code /dev/null} discards, {@code -} is standard output; a trailing slash means a directory. */
    public static final Value<RawPath> TARGET = new Value<>(
            "target", Side.RECEIVER, TransferPlan.DEV_NULL, RawPath::toBytes, Value::path, CopyValue::isShort);

    public static final Value<Existing> EXISTING =
            Value.choice("existing", Side.RECEIVER, Existing.SKIP_SAME, Existing.values());

    public static final Value<Comparison> COMPARE =
            Value.choice("compare", Side.BOTH, Comparison.TIME, Comparison.values());

    /** A file stays that was modified later than the source, whatever {@link #EXISTING} says. */
    public static final Value<Boolean> UPDATE = Value.flag("update", Side.RECEIVER, false);

    /** A link to a directory stays where the source has a directory, if root or the receiver's own user made it. */
    public static final Value<Boolean> KEEP_DIRLINKS = Value.flag("keep_dirlinks", Side.RECEIVER, false);

    /** If not, every file is copied from the beginning. */
    public static final Value<Boolean> RESUME = Value.flag("resume", Side.RECEIVER, true);

    public static final Value<Durability> DURABLE =
            Value.choice("durable", Side.RECEIVER, Durability.END, Durability.values());

    public static final Value<DirectIo> DIRECT_IO =
            Value.choice("direct_io", Side.RECEIVER, DirectIo.AUTO, DirectIo.values());

    /** What is deleted; null for nothing. */
    public static final Value<Mirror> MIRROR = Value.of(
            "mirror", Side.BOTH, null, mirror -> List.of(mirror.maxFiles(), mirror.deletesExcluded()), written -> {
                List<Object> fields = Value.list(written, 16);
                return new Mirror(number(fields, 0, 0, Long.MAX_VALUE), Value.flag(at(fields, 1)));
            });

    /** A pull gives no permissions that this process's umask takes. */
    public static final Value<Boolean> OBEYS_UMASK = Value.ofClient("obeys_umask", false);

    // ---- At the client.

    /** {@link ServerAddress#NONE} for a copy within this host. */
    public static final Value<ServerAddress> SERVER = Value.ofClient("server", ServerAddress.NONE);

    /** To spread the lanes over; empty for the system's choice. */
    public static final Value<List<InetAddress>> LOCAL_ADDRESSES = Value.ofClient("bind", List.of());

    /** Checksums of whole files, as catalogues store them, in the order of the receipt. */
    public static final Value<List<FileHash>> CHECKSUMS = Value.ofClient("checksums of files", List.of());

    /** Where the receipt is written; null for none. */
    public static final Value<RawPath> RECEIPT = Value.ofClient("receipt", null);

    /** Written when everything is in place, with paths below the target; null for none. */
    public static final Value<ManifestFile> MANIFEST = Value.ofClient("manifest", null);

    /** That the user set. */
    public static final Value<TransferLimits> LIMITS = Value.ofClient("limits", TransferLimits.NONE);

    /** What a request may contain, in its order. */
    public static final List<Value<?>> OF_REQUESTS = List.of(
            DIRECTION,
            DRY_RUN,
            LANES,
            CLEAR_LANES,
            RATE_LIMIT,
            TIMEOUT_MS,
            DIGEST,
            SUMS,
            CHUNK_BYTES,
            TRACE,
            SOURCES,
            NAMES,
            PAIRS,
            RULES,
            BOUNDS,
            RANGE,
            ZEROS,
            COPY_LINKS,
            GROWING,
            ONE_FILE_SYSTEM,
            CHMOD,
            PRESERVE,
            TARGET,
            EXISTING,
            COMPARE,
            UPDATE,
            KEEP_DIRLINKS,
            RESUME,
            DURABLE,
            DIRECT_IO,
            MIRROR);

    private CopyValue() {}

    /** A path that is too long is refused where the plan is made. */
    private static boolean isShort(RawPath path) {
        path.requireShort();
        return true;
    }

    private static @Nullable Object at(List<Object> fields, int index) {
        return index < fields.size() ? fields.get(index) : null;
    }

    private static long number(List<Object> fields, int index, long min, long max) {
        return Value.number(at(fields, index), min, max);
    }

    private static LaneRange readLanes(Object written) {
        List<Object> fields = Value.list(written, 16);
        int max = (int) number(fields, 0, 1, LaneRange.MAX);
        int start = (int) number(fields, 1, 1, max);
        return new LaneRange((int) number(fields, 2, 1, start), start, max);
    }

    private static DigestKind readDigest(Object written) {
        DigestKind kind = DigestKind.ofCode((int) Value.number(written, 0, Integer.MAX_VALUE));
        if (kind == null) {
            throw Value.refusal();
        }
        return kind;
    }

    private static PathRule readRule(Object written) {
        List<Object> fields = Value.list(written, 16);
        return new PathRule(Value.flag(at(fields, 0)), Value.path(at(fields, 1)));
    }

    private static boolean isTrace(String text) {
        return text.matches("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");
    }

    private static String readTrace(Object written) {
        if (written instanceof String text && isTrace(text)) {
            return text;
        }
        throw Value.refusal();
    }

    private static ModeChange readModes(Object written) {
        ModeChange change = written instanceof String text ? ModeChange.parse(text) : null;
        if (change == null) {
            throw Value.refusal();
        }
        return change;
    }

    private static Object write(FileBounds bounds) {
        List<Long> fields = new ArrayList<>(List.of(bounds.minBytes(), bounds.maxBytes()));
        Instant newerThan = bounds.newerThan();
        if (newerThan != null) {
            fields.addAll(List.of(newerThan.getEpochSecond(), (long) newerThan.getNano()));
        }
        return fields;
    }

    private static FileBounds readBounds(Object written) {
        List<Object> fields = Value.list(written, 16);
        Instant newerThan = fields.size() <= 2
                ? null
                : Instant.ofEpochSecond(
                        number(fields, 2, Instant.MIN.getEpochSecond(), Instant.MAX.getEpochSecond()),
                        number(fields, 3, 0, 999_999_999));
        return new FileBounds(number(fields, 0, 0, Long.MAX_VALUE), number(fields, 1, 0, Long.MAX_VALUE), newerThan);
    }
}
