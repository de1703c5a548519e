package io.fdt.core.plan;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan.Direction;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link TransferPlan} from what differs from the defaults. The usual is what the command {@code client} does
 * without options: lanes by the cores of this machine, every chunk hashed with XXH3, lanes encrypted, what is the same
 * on the target left alone, what was interrupted resumed, data durable before it gets its final name, modes, times and
 * links kept. For one thread.
 */
public final class TransferPlanBuilder {
    /** The largest chunk, 64 leaves. */
    public static final int USUAL_CHUNK_BYTES = 8 << 20;

    public static final long USUAL_TIMEOUT_MS = 30_000;

    private final Direction direction;
    private final String host;
    private final int port;
    private final RawPath target;
    private final List<RawPath> sources = new ArrayList<>();
    private final List<PathRule> rules = new ArrayList<>();
    private @Nullable List<RawPath> names;
    private Existing existing = Existing.SKIP_SAME;
    private boolean compareDigest;
    private Durability durability = Durability.END;
    private DirectIo directIo = DirectIo.AUTO;
    private boolean resume = true;
    private Set<Preserve> preserve = EnumSet.of(Preserve.MODE, Preserve.TIMES, Preserve.LINKS);
    private long sizeBytes = -1;
    private long durationNanos = -1;
    private LaneRange lanes = LaneRange.usual(Runtime.getRuntime().availableProcessors());
    private DigestKind digest = DigestKind.XXH3_128;
    private boolean clearLanes;
    private long rateBitsPerSecond;
    private boolean dryRun;
    private List<InetAddress> localAddresses = List.of();
    private int chunkBytes = USUAL_CHUNK_BYTES;
    private long timeoutMs = USUAL_TIMEOUT_MS;
    private @Nullable RawPath receiptFile;
    private @Nullable ManifestFile manifest;
    private TransferLimits limits = TransferLimits.NONE;

    TransferPlanBuilder(Direction direction, RawPath source, String host, int port, RawPath target) {
        this.direction = direction;
        this.host = host;
        this.port = port;
        this.target = target;
        sources.add(source);
    }

    /** One more source on the same side. */
    public TransferPlanBuilder andFrom(RawPath source) {
        sources.add(source);
        return this;
    }

    /** Of the source, which is a directory, what is in it; not a directory of its name. */
    public TransferPlanBuilder contents() {
        sources.add(sources.remove(sources.size() - 1).withSlash());
        return this;
    }

    /** Of the one source, which is a directory, only these paths below it. */
    public TransferPlanBuilder onlyNames(@Nullable List<RawPath> paths) {
        names = paths;
        return this;
    }

    /** The first rule that matches a path says whether it is moved; what none matches is. */
    public TransferPlanBuilder rules(List<PathRule> all) {
        rules.clear();
        rules.addAll(all);
        return this;
    }

    /** What becomes of a file that is there already. */
    public TransferPlanBuilder existing(Existing value) {
        existing = value;
        return this;
    }

    /** A file counts as the same by the digest of its data, not by size and time. */
    public TransferPlanBuilder compareDigest(boolean value) {
        compareDigest = value;
        return this;
    }

    public TransferPlanBuilder durability(Durability value) {
        durability = value;
        return this;
    }

    /** Which files are written past the page cache. */
    public TransferPlanBuilder directIo(DirectIo value) {
        directIo = value;
        return this;
    }

    /** False: every file is started anew. */
    public TransferPlanBuilder resume(boolean value) {
        resume = value;
        return this;
    }

    public TransferPlanBuilder preserve(Set<Preserve> value) {
        preserve = value;
        return this;
    }

    /** How much of the source {@code /dev/zero} is sent. */
    public TransferPlanBuilder zeros(long bytes) {
        sizeBytes = bytes;
        return this;
    }

    /** How long the source {@code /dev/zero} is sent. */
    public TransferPlanBuilder zeros(Duration time) {
        durationNanos = time.toNanos();
        return this;
    }

    /** How many are wanted, from the beginning to the end; the server may grant fewer. */
    public TransferPlanBuilder lanes(int value) {
        require(value > 0, "a copy needs at least one lane");
        return lanes(LaneRange.fixed(value));
    }

    /** Between how many lanes the copy finds the best number; the server may grant fewer. */
    public TransferPlanBuilder lanes(LaneRange value) {
        lanes = value;
        return this;
    }

    public TransferPlanBuilder digest(DigestKind value) {
        digest = value;
        return this;
    }

    /** Data without encryption, where the server allows that. */
    public TransferPlanBuilder clearLanes(boolean value) {
        clearLanes = value;
        return this;
    }

    /** A ceiling, or 0 for none. */
    public TransferPlanBuilder rate(long bitsPerSecond) {
        rateBitsPerSecond = bitsPerSecond;
        return this;
    }

    /** Nothing is moved; the observer is told what would be. */
    public TransferPlanBuilder dryRun(boolean value) {
        dryRun = value;
        return this;
    }

    /** Lanes are spread over these addresses of this machine; empty for the system's choice. */
    public TransferPlanBuilder localAddresses(List<InetAddress> value) {
        localAddresses = value;
        return this;
    }

    /** The unit of resuming, a power of two between one leaf and 64 leaves. */
    public TransferPlanBuilder chunkBytes(int value) {
        chunkBytes = value;
        return this;
    }

    /** After so long a silence a peer is given up. */
    public TransferPlanBuilder timeoutMs(long value) {
        timeoutMs = value;
        return this;
    }

    /** Where a receipt is written; null for none. */
    public TransferPlanBuilder receipt(@Nullable RawPath file) {
        receiptFile = file;
        return this;
    }

    /** What is written when everything is in place, for {@code sha256sum --check} and its like; null for none. */
    public TransferPlanBuilder manifest(@Nullable ManifestFile value) {
        manifest = value;
        return this;
    }

    public TransferPlanBuilder limits(TransferLimits value) {
        limits = value;
        return this;
    }

    /** @throws IllegalArgumentException for what makes no sense whatever is on the other side */
    public TransferPlan build() {
        require(!host.isBlank(), "a server needs a name");
        require(port > 0 && port < 1 << 16, "a port is a number from 1 to 65535, not " + port);
        require(timeoutMs > 0, "a timeout must be longer than zero");
        require(
                Integer.bitCount(chunkBytes) == 1
                        && chunkBytes >= TreeDigest.LEAF_BYTES
                        && chunkBytes <= USUAL_CHUNK_BYTES,
                "a chunk is a power of two from 128 KiB to 8 MiB, not " + chunkBytes);
        boolean zeros = sources.contains(TransferPlan.DEV_ZERO);
        require(zeros == (sizeBytes >= 0 || durationNanos >= 0), "/dev/zero, and nothing else, needs an end");
        CopyRequest request = new CopyRequest(
                direction,
                new SourceSelection(sources, names, rules),
                target,
                new TargetRules(existing, compareDigest, durability, resume, preserve, directIo),
                sizeBytes,
                durationNanos,
                lanes,
                digest,
                clearLanes,
                rateBitsPerSecond,
                dryRun,
                chunkBytes,
                timeoutMs);
        return new TransferPlan(host, port, request, localAddresses, receiptFile, manifest, limits, null);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
