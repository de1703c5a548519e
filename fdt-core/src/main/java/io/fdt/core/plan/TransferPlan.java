package io.fdt.core.plan;

import io.fdt.core.basic.Right;
import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.TargetRules.Comparison;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.Value.Side;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One copy: its values, which {@link CopyValue} lists. A client's plan has all of them, a server receives those of the
 * request that are for its side. Immutable; contains only what differs from the defaults.
 */
public final class TransferPlan implements Plan<TransferPlan> {
    public static final RawPath DEV_ZERO = RawPath.ofText("/dev/zero");
    public static final RawPath DEV_NULL = RawPath.ofText("/dev/null");
    /** Standard input as a source, standard output as a target. */
    public static final RawPath STANDARD_STREAM = RawPath.ofText("-");

    /** A copy of nothing. */
    public static final TransferPlan EMPTY = new TransferPlan(Map.of());

    private static final Pattern DESCRIPTOR = Pattern.compile("/dev/fd/([0-9]{1,6})");
    private static final long STEP_MAX_MS = 30_000;

    /** What one request may have of sources, and of rules. */
    private static final int MAX_LISTED = 4_096;

    private static final int MAX_SOURCES_BYTES = 512 * 1024;
    /** The size of the globs of all rules together. */
    private static final int MAX_RULES_BYTES = 256 * 1024;
    /** Names of one selection, in all messages together. */
    public static final int MAX_NAMES = 4 << 20;

    public static final long MAX_NAMES_BYTES = 256L << 20;

    private final Map<Value<?>, Object> values;

    /** Which end sends. */
    public enum Direction {
        /** The client sends. */
        PUSH,
        /** The server sends. */
        PULL
    }

    private TransferPlan(Map<Value<?>, Object> values) {
        this.values = Map.copyOf(values);
    }

    /** A push of a file, or of a directory as a directory in the target, with defaults for everything else. */
    public static TransferPlan push(Path source, String host, int port, String target) {
        return of(Direction.PUSH, List.of(RawPath.of(source)), RawPath.ofText(target))
                .at(host, port);
    }

    /** A pull of a file, a directory, or, with a trailing slash after the source, the contents of a directory. */
    public static TransferPlan pull(String host, int port, String source, Path target) {
        return of(Direction.PULL, List.of(RawPath.ofText(source)), RawPath.of(target))
                .at(host, port);
    }

    /** A copy within this host, unless it gets a server; with lanes by the number of cores. */
    public static TransferPlan of(Direction direction, List<RawPath> sources, RawPath target) {
        return from(sources)
                .with(CopyValue.DIRECTION, direction)
                .with(CopyValue.TARGET, target)
                .with(CopyValue.LANES, LaneRange.auto(Runtime.getRuntime().availableProcessors()));
    }

    /** What to copy, for a part that needs no more. */
    public static TransferPlan from(List<RawPath> sources) {
        return EMPTY.with(CopyValue.SOURCES, sources);
    }

    // ---- Values.

    @Override
    public Map<Value<?>, Object> values() {
        return values;
    }

    @Override
    public TransferPlan withValues(Map<Value<?>, Object> other) {
        return new TransferPlan(other);
    }

    /** Returns this plan for a server. */
    public TransferPlan at(String host, int port) {
        if (host.isBlank() || port < 1 || port >= 1 << 16) {
            throw new IllegalArgumentException(
                    "a server needs a name, and a port from 1 to 65535, not '" + host + "' and " + port);
        }
        return with(CopyValue.SERVER, new ServerAddress(host, port));
    }

    /** Copies the contents of the last source, which is a directory, and not a directory of its name. */
    public TransferPlan contents() {
        List<RawPath> sources = new ArrayList<>(sources());
        sources.add(sources.remove(sources.size() - 1).withSlash());
        return with(CopyValue.SOURCES, sources);
    }

    /** Changes the number of lanes; the server may grant fewer. */
    public TransferPlan lanes(int count) {
        return with(CopyValue.LANES, LaneRange.fixed(count));
    }

    /** Returns this plan without a kind of metadata. */
    public TransferPlan without(Preserve what) {
        Set<Preserve> rest = new HashSet<>(get(CopyValue.PRESERVE));
        rest.remove(what);
        return with(CopyValue.PRESERVE, rest);
    }

    /** Returns this plan with further checksums. */
    public TransferPlan summing(Checksums further) {
        return with(CopyValue.SUMS, get(CopyValue.SUMS).and(further));
    }

    // ---- What a server receives.

    /** What servers may know: all but what only the client needs. */
    public TransferPlan request() {
        Map<Value<?>, Object> all = new HashMap<>(values);
        all.keySet().removeIf(value -> value.side() == Side.CLIENT);
        return new TransferPlan(all).with(CopyValue.SUMS, hash().sums());
    }

    /** The part of the request for the other end of the lanes; for a push, with what a mirror must not delete. */
    public TransferPlan forServer() {
        Side other = direction() == Direction.PUSH ? Side.RECEIVER : Side.SENDER;
        TransferPlan request = request();
        Map<Value<?>, Object> all = new HashMap<>(request.values);
        all.keySet().removeIf(value -> value.side() != other && value.side() != Side.BOTH);
        TransferPlan there = new TransferPlan(all);
        return other == Side.SENDER ? there : there.with(CopyValue.RULES, sparedByMirror());
    }

    /** Throws USAGE if it has more sources or rules than a request may have. */
    public void requireFitting() {
        requireFitting("sources", sources(), MAX_SOURCES_BYTES);
        requireFitting(
                "patterns of --include and --exclude",
                get(CopyValue.RULES).stream().map(PathRule::glob).toList(),
                MAX_RULES_BYTES);
    }

    private static void requireFitting(String what, List<RawPath> listed, int maxBytes) {
        if (listed.size() > MAX_LISTED
                || listed.stream().mapToLong(RawPath::lengthBytes).sum() > maxBytes) {
            throw Cause.USAGE.failure("a server takes at most " + MAX_LISTED + " " + what + ", of " + maxBytes
                    + " bytes together; there are " + listed.size());
        }
    }

    /** Throws USAGE for more names than a request may have. */
    public static void requireFewNames(long count, long bytes) {
        if (count > MAX_NAMES || bytes > MAX_NAMES_BYTES) {
            throw Cause.USAGE.failure("the list of names is too long for one request; the limits are " + MAX_NAMES
                    + " names and " + MAX_NAMES_BYTES + " bytes; split the list, or push");
        }
    }

    // ---- Values that most parts need, and what follows from several.

    public Direction direction() {
        return get(CopyValue.DIRECTION);
    }

    public List<RawPath> sources() {
        return get(CopyValue.SOURCES);
    }

    public RawPath target() {
        return get(CopyValue.TARGET);
    }

    public ServerAddress server() {
        return get(CopyValue.SERVER);
    }

    /** What the client needs at the path of the copy on the server. */
    public Set<Right> rights() {
        if (direction() == Direction.PULL) {
            return Set.of(Right.READ);
        }
        if (dryRun()) {
            return Set.of(Right.LIST);
        }
        return has(CopyValue.MIRROR) ? Set.of(Right.APPEND, Right.DELETE) : Set.of(Right.APPEND);
    }

    public boolean dryRun() {
        return get(CopyValue.DRY_RUN);
    }

    public boolean preserves(Preserve what) {
        return get(CopyValue.PRESERVE).contains(what);
    }

    public boolean comparesDigests() {
        return get(CopyValue.COMPARE) == Comparison.DIGEST;
    }

    /** Whether something may pass over lanes: in a dry run, the digests that are compared. */
    public boolean needsLanes() {
        return !dryRun() || comparesDigests();
    }

    /** What is computed of every chunk and file: what is compared, with the checksums beside it. */
    public NodeHash hash() {
        List<FileHash> hashes = new ArrayList<>(get(CopyValue.CHECKSUMS));
        ManifestFile manifest = find(CopyValue.MANIFEST);
        if (manifest != null) {
            hashes.add(manifest.kind());
        }
        return get(CopyValue.SUMS).and(Checksums.of(hashes)).beside(get(CopyValue.DIGEST));
    }

    /**
     * The hashes of the receipt that need the bytes of a file in order, so that files are read again after the copy.
     */
    public List<FileHash> hashesOfReceipt() {
        return get(CopyValue.CHECKSUMS).stream()
                .filter(each -> !Checksums.KINDS.contains(each))
                .toList();
    }

    /** The hashes for which files are read again after the copy. */
    public List<FileHash> readAgain() {
        List<FileHash> all = new ArrayList<>(has(CopyValue.RECEIPT) ? hashesOfReceipt() : List.of());
        ManifestFile manifest = find(CopyValue.MANIFEST);
        if (manifest != null && !Checksums.KINDS.contains(manifest.kind()) && !all.contains(manifest.kind())) {
            all.add(manifest.kind());
        }
        return all;
    }

    /** How long one step of the session may take, such as a connection; the session survives more than that. */
    public long stepMs() {
        return Math.min(get(CopyValue.TIMEOUT_MS), STEP_MAX_MS);
    }

    /** The rules whose excluded paths a mirror does not delete. */
    public List<PathRule> sparedByMirror() {
        Mirror mirror = find(CopyValue.MIRROR);
        return mirror == null || mirror.deletesExcluded() ? List.of() : get(CopyValue.RULES);
    }

    /** Whether each name has a path of its own in the target. */
    public boolean isPaired() {
        return has(CopyValue.NAMES) && get(CopyValue.PAIRS);
    }

    /** Returns the directories above the targets of pairs, each after those above it. */
    public Set<RawPath> directoriesAbovePairs() {
        Set<RawPath> all = new LinkedHashSet<>();
        List<RawPath> names = isPaired() ? get(CopyValue.NAMES) : List.of();
        for (int i = 1; i < names.size(); i += 2) {
            addWithThoseAbove(names.get(i).parent(), all);
        }
        return all;
    }

    private static void addWithThoseAbove(RawPath directory, Set<RawPath> all) {
        if (!directory.isEmpty() && !all.contains(directory)) {
            addWithThoseAbove(directory.parent(), all);
            all.add(directory);
        }
    }

    /**
     * Returns the descriptor of this process that a target of a pull means; -1 if it is a file. The files in
     * {@code /dev} are links, which a copy would replace.
     */
    public static int descriptorOf(RawPath target) {
        if (target.equals(STANDARD_STREAM)) {
            return 1;
        }
        String text = target.text();
        Matcher numbered = DESCRIPTOR.matcher(text);
        return switch (text) {
            case "/dev/stdout" -> 1;
            case "/dev/stderr" -> 2;
            default -> numbered.matches() ? Integer.parseInt(numbered.group(1)) : -1;
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TransferPlan plan && plan.values.equals(values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** What differs from the defaults. */
    @Override
    public String toString() {
        return values.toString();
    }
}
