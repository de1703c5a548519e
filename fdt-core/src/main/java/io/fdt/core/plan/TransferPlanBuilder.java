package io.fdt.core.plan;

import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.SourceSelection.Handling;
import io.fdt.core.plan.TargetRules.Comparison;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Keep;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TargetRules.Writing;
import io.fdt.core.plan.TransferPlan.Direction;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link TransferPlan}. The defaults are those of the command {@code client}: lanes by the number of cores,
 * every chunk hashed with XXH3, encrypted lanes, files that are the same on the target skipped, interrupted files
 * resumed, data durable before a file gets its final name, modes, times and links preserved. For one thread.
 */
public final class TransferPlanBuilder {
    /** The largest chunk, 64 leaves. */
    public static final int DEFAULT_CHUNK_BYTES = 8 << 20;

    public static final long DEFAULT_TIMEOUT_MS = 30_000;

    private final Direction direction;
    private final RawPath target;
    private final List<RawPath> sources;
    private final List<PathRule> rules = new ArrayList<>();
    private ServerAddress server = ServerAddress.NONE;
    private @Nullable List<RawPath> names;
    private FileBounds bounds = FileBounds.NONE;
    private Set<Handling> handling = EnumSet.noneOf(Handling.class);
    private Existing existing = Existing.SKIP_SAME;
    private Comparison comparison = Comparison.TIME;
    private Durability durability = Durability.END;
    private DirectIo directIo = DirectIo.AUTO;
    private boolean resume = true;
    private Set<Keep> keeps = Set.of();
    private @Nullable Mirror mirror;
    private Set<Preserve> preserve = EnumSet.of(Preserve.MODE, Preserve.TIMES, Preserve.LINKS);
    private Zeros zeros = Zeros.NONE;
    private ModeChange modes = ModeChange.NONE;
    private LaneRange lanes = LaneRange.auto(Runtime.getRuntime().availableProcessors());
    private DigestKind digest = DigestKind.XXH3_128;
    private Set<FileHash> checksums = Set.of();
    private boolean clearLanes;
    private long rateBitsPerSecond;
    private boolean dryRun;
    private List<InetAddress> localAddresses = List.of();
    private int chunkBytes = DEFAULT_CHUNK_BYTES;
    private long timeoutMs = DEFAULT_TIMEOUT_MS;
    private @Nullable RawPath receiptFile;
    private @Nullable ManifestFile manifest;
    private TransferLimits limits = TransferLimits.NONE;
    private @Nullable Path shardFile;
    private boolean obeysUmask;

    TransferPlanBuilder(Direction direction, List<RawPath> sources, RawPath target) {
        this.direction = direction;
        this.sources = new ArrayList<>(sources);
        this.target = target;
    }

    /** Sets the server; without one, the copy is within this host. */
    public TransferPlanBuilder at(String name, int number) {
        require(!name.isBlank(), "a server needs a name");
        require(number > 0 && number < 1 << 16, "a port is a number from 1 to 65535, not " + number);
        server = new ServerAddress(name, number);
        return this;
    }

    /** Adds another source on the same side. */
    public TransferPlanBuilder andFrom(RawPath source) {
        sources.add(source);
        return this;
    }

    /** Copies the contents of the source, which is a directory, and not a directory of its name. */
    public TransferPlanBuilder contents() {
        sources.add(sources.remove(sources.size() - 1).withSlash());
        return this;
    }

    /** Copies only these paths below the only source, which is a directory; see {@link Handling#PAIRS}. */
    public TransferPlanBuilder onlyNames(@Nullable List<RawPath> paths) {
        names = paths;
        return this;
    }

    /**
     * Sets the rules: the first one that matches a path decides whether it is copied. Paths without a match are copied.
     */
    public TransferPlanBuilder rules(List<PathRule> all) {
        rules.clear();
        rules.addAll(all);
        return this;
    }

    /** Copies only files within these bounds. */
    public TransferPlanBuilder bounds(FileBounds value) {
        bounds = value;
        return this;
    }

    public TransferPlanBuilder handling(Set<Handling> value) {
        handling = value;
        return this;
    }

    /** Changes the modes that are preserved. */
    public TransferPlanBuilder modes(ModeChange value) {
        modes = value;
        return this;
    }

    /** Sets what to do with existing files. */
    public TransferPlanBuilder existing(Existing value) {
        existing = value;
        return this;
    }

    /** Sets when an existing file counts as the same. */
    public TransferPlanBuilder compare(Comparison value) {
        comparison = value;
        return this;
    }

    /** Sets what stays in the target, whatever the rule for existing files says. */
    public TransferPlanBuilder keeps(Set<Keep> value) {
        keeps = value;
        return this;
    }

    /** Deletes from the target what the source does not have; null deletes nothing. */
    public TransferPlanBuilder mirror(@Nullable Mirror value) {
        mirror = value;
        return this;
    }

    public TransferPlanBuilder durability(Durability value) {
        durability = value;
        return this;
    }

    /** Sets which files are written past the page cache. */
    public TransferPlanBuilder directIo(DirectIo value) {
        directIo = value;
        return this;
    }

    /** If false, every file is copied from the beginning. */
    public TransferPlanBuilder resume(boolean value) {
        resume = value;
        return this;
    }

    /** If true, a pull gives no permissions that this process's umask takes. */
    public TransferPlanBuilder obeysUmask(boolean value) {
        obeysUmask = value;
        return this;
    }

    public TransferPlanBuilder preserve(Set<Preserve> value) {
        preserve = value;
        return this;
    }

    /** Sets how much of the source {@code /dev/zero} is sent; -1 for no limit. */
    public TransferPlanBuilder zeros(long bytes) {
        zeros = new Zeros(bytes, zeros.nanos());
        return this;
    }

    /** Sets how long the source {@code /dev/zero} is sent. */
    public TransferPlanBuilder zeros(Duration time) {
        zeros = new Zeros(zeros.bytes(), time.toNanos());
        return this;
    }

    /** Sets a fixed number of lanes; the server may grant fewer. */
    public TransferPlanBuilder lanes(int value) {
        require(value > 0, "a copy needs at least one lane");
        return lanes(LaneRange.fixed(value));
    }

    /** Sets the bounds between which the copy finds the best number of lanes; the server may grant fewer. */
    public TransferPlanBuilder lanes(LaneRange value) {
        lanes = value;
        return this;
    }

    public TransferPlanBuilder digest(DigestKind value) {
        digest = value;
        return this;
    }

    /** Sets the checksums of whole files to compute, as catalogues store them. */
    public TransferPlanBuilder checksums(Set<FileHash> value) {
        checksums = value;
        return this;
    }

    /** Sends data unencrypted, if the server allows it. */
    public TransferPlanBuilder clearLanes(boolean value) {
        clearLanes = value;
        return this;
    }

    /** Sets the maximum rate, or 0 for none. */
    public TransferPlanBuilder rate(long bitsPerSecond) {
        rateBitsPerSecond = bitsPerSecond;
        return this;
    }

    /** Copies nothing; the observer is notified of what a copy would do. */
    public TransferPlanBuilder dryRun(boolean value) {
        dryRun = value;
        return this;
    }

    /** Spreads the lanes over these addresses of this host; empty for the system's choice. */
    public TransferPlanBuilder localAddresses(List<InetAddress> value) {
        localAddresses = value;
        return this;
    }

    /** The unit of resuming, a power of two between one leaf and 64 leaves. */
    public TransferPlanBuilder chunkBytes(int value) {
        chunkBytes = value;
        return this;
    }

    /** Sets how long a peer may be silent before it is given up. */
    public TransferPlanBuilder timeoutMs(long value) {
        timeoutMs = value;
        return this;
    }

    /** Sets where the receipt is written; null for none. */
    public TransferPlanBuilder receipt(@Nullable RawPath file) {
        receiptFile = file;
        return this;
    }

    /**
     * Sets the file to write for {@code sha256sum --check} and similar programs when everything is in place; null for
     * none.
     */
    public TransferPlanBuilder manifest(@Nullable ManifestFile value) {
        manifest = value;
        return this;
    }

    public TransferPlanBuilder limits(TransferLimits value) {
        limits = value;
        return this;
    }

    /** Pushes a shard of a job in place of the sources and what is selected of them; null for none. */
    public TransferPlanBuilder shard(@Nullable Path file) {
        shardFile = file;
        return this;
    }

    /** @throws IllegalArgumentException for values that are invalid for every server */
    public TransferPlan build() {
        require(
                timeoutMs >= LaneRequest.MIN_TIMEOUT_MS && timeoutMs <= Integer.MAX_VALUE,
                "a timeout is at least 100 ms and at most 24 days, not " + timeoutMs + " ms");
        require(
                Integer.bitCount(chunkBytes) == 1
                        && chunkBytes >= TreeDigest.LEAF_BYTES
                        && chunkBytes <= DEFAULT_CHUNK_BYTES,
                "a chunk is a power of two from 128 KiB to 8 MiB, not " + chunkBytes);
        require(sources.contains(TransferPlan.DEV_ZERO) == zeros.hasEnd(), "/dev/zero, and nothing else, needs an end");
        List<FileHash> hashes = new ArrayList<>(checksums);
        if (manifest != null) {
            hashes.add(manifest.kind());
        }
        List<FileHash> inOrder = checksums.stream()
                .filter(each -> !Checksums.KINDS.contains(each))
                .toList();
        CopyRequest request = new CopyRequest(
                direction,
                shardFile == null
                        ? new SourceSelection(sources, names, rules, bounds, handling, zeros, modes)
                        : SourceSelection.NONE,
                target,
                new TargetRules(
                        existing, comparison, new Writing(durability, directIo), resume, preserve, keeps, mirror),
                new LaneRequest(lanes, clearLanes, rateBitsPerSecond, timeoutMs),
                new Chunking(Checksums.of(hashes).beside(digest), chunkBytes),
                dryRun);
        RecordFiles records = new RecordFiles(receiptFile, manifest, inOrder);
        return new TransferPlan(server, request, localAddresses, records, limits, shardFile, obeysUmask);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
