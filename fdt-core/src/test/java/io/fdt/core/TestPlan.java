package io.fdt.core;

import io.fdt.core.digest.FileHash;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.ManifestFile;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Comparison;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.plan.Zeros;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;

/** A {@link TransferPlan} with values for tests on loopback; a test sets only what matters to it. */
public final class TestPlan {
    private TransferPlan plan;
    private final List<PathRule> rules = new ArrayList<>();

    private TestPlan(Direction direction, String source, String target) {
        this.plan = TransferPlan.of(direction, List.of(RawPath.ofText(source)), RawPath.ofText(target))
                .with(CopyValue.DURABLE, Durability.NONE)
                .lanes(2)
                .with(CopyValue.CHUNK_BYTES, 1 << 20)
                .with(CopyValue.TIMEOUT_MS, 60_000L);
    }

    public static TestPlan push(Object source, String target) {
        return new TestPlan(Direction.PUSH, source.toString(), target);
    }

    public static TestPlan pull(String source, Path target) {
        return new TestPlan(Direction.PULL, source, target.toString());
    }

    /** Sends zeros for this many seconds and discards them. */
    public static TestPlan zeros(long seconds) {
        TestPlan test = push("/dev/zero", "/dev/null");
        test.plan = test.plan.with(CopyValue.ZEROS, Zeros.lasting(Duration.ofSeconds(seconds)));
        return test;
    }

    public TestPlan alsoFrom(Path other) {
        List<RawPath> sources = new ArrayList<>(plan.sources());
        sources.add(RawPath.ofText(other.toString()));
        plan = plan.with(CopyValue.SOURCES, sources);
        return this;
    }

    /** Copies only these names, below the one source. */
    public TestPlan names(String... values) {
        plan = plan.with(CopyValue.NAMES, Stream.of(values).map(RawPath::ofText).toList());
        return this;
    }

    public TestPlan exclude(String glob) {
        rules.add(new PathRule(false, RawPath.ofText(glob)));
        plan = plan.with(CopyValue.RULES, rules);
        return this;
    }

    public TestPlan existing(Existing value, Comparison comparison) {
        plan = plan.with(CopyValue.EXISTING, value).with(CopyValue.COMPARE, comparison);
        return this;
    }

    /** Deletes from the target everything that the source does not have. */
    public TestPlan dryRun() {
        plan = plan.with(CopyValue.DRY_RUN, true);
        return this;
    }

    public TestPlan mirror() {
        plan = plan.with(CopyValue.MIRROR, new Mirror(Mirror.UNLIMITED, false));
        return this;
    }

    public TestPlan lanes(int value) {
        return lanes(LaneRange.fixed(value));
    }

    public TestPlan lanes(LaneRange value) {
        plan = plan.with(CopyValue.LANES, value);
        return this;
    }

    public TestPlan clearLanes() {
        plan = plan.with(CopyValue.CLEAR_LANES, true);
        return this;
    }

    public TestPlan chunkBytes(int value) {
        plan = plan.with(CopyValue.CHUNK_BYTES, value);
        return this;
    }

    public TestPlan rate(long bitsPerSecond) {
        plan = plan.with(CopyValue.RATE_LIMIT, bitsPerSecond);
        return this;
    }

    public TestPlan timeoutMs(long value) {
        plan = plan.with(CopyValue.TIMEOUT_MS, value);
        return this;
    }

    public TestPlan receipt(Path value) {
        plan = plan.with(CopyValue.RECEIPT, RawPath.of(value));
        return this;
    }

    public TestPlan manifest(FileHash kind, Path value) {
        plan = plan.with(CopyValue.MANIFEST, new ManifestFile(kind, RawPath.of(value)));
        return this;
    }

    public TestPlan limits(TransferLimits value) {
        plan = plan.with(CopyValue.LIMITS, value);
        return this;
    }

    public TestPlan preserve(Preserve... values) {
        plan = plan.with(CopyValue.PRESERVE, EnumSet.of(values[0], values));
        return this;
    }

    public TransferPlan at(int port) {
        return at("127.0.0.1", port);
    }

    public TransferPlan at(String host, int port) {
        return plan.at(host, port);
    }
}
