package io.fdt.core;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Mirror;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A transfer plan for a server on loopback; a test sets only what matters to it. */
public final class TestPlan {
    private final Direction direction;
    private final RawPath source;
    private final RawPath target;
    private final List<RawPath> moreSources = new ArrayList<>();
    private final List<PathRule> rules = new ArrayList<>();
    private @Nullable List<RawPath> names;
    private LaneRange lanes = LaneRange.fixed(2);
    private boolean clearLanes;
    private long durationNanos = -1;
    private long rateBitsPerSecond;
    private long timeoutMs = 10_000;
    private TransferLimits limits = TransferLimits.NONE;
    private @Nullable Mirror mirror;
    private Set<Preserve> preserve = EnumSet.of(Preserve.MODE, Preserve.TIMES, Preserve.LINKS);

    private TestPlan(Direction direction, String source, String target) {
        this.direction = direction;
        this.source = RawPath.ofText(source);
        this.target = RawPath.ofText(target);
    }

    public static TestPlan push(Object source, String target) {
        return new TestPlan(Direction.PUSH, source.toString(), target);
    }

    public static TestPlan pull(String source, Path target) {
        return new TestPlan(Direction.PULL, source, target.toString());
    }

    /** Sends zeros for this many seconds and discards them. */
    public static TestPlan zeros(long seconds) {
        TestPlan plan = push("/dev/zero", "/dev/null");
        plan.durationNanos = seconds * 1_000_000_000L;
        return plan;
    }

    public TestPlan alsoFrom(Path other) {
        moreSources.add(RawPath.ofText(other.toString()));
        return this;
    }

    /** Copies only these names, below the one source. */
    public TestPlan names(String... values) {
        names = Stream.of(values).map(RawPath::ofText).toList();
        return this;
    }

    public TestPlan exclude(String glob) {
        rules.add(new PathRule(false, RawPath.ofText(glob)));
        return this;
    }

    /** Deletes from the target everything that the source does not have. */
    public TestPlan mirror() {
        mirror = new Mirror(Mirror.UNLIMITED, false);
        return this;
    }

    public TestPlan lanes(int value) {
        return lanes(LaneRange.fixed(value));
    }

    public TestPlan lanes(LaneRange value) {
        lanes = value;
        return this;
    }

    public TestPlan clearLanes() {
        clearLanes = true;
        return this;
    }

    public TestPlan rate(long bitsPerSecond) {
        rateBitsPerSecond = bitsPerSecond;
        return this;
    }

    public TestPlan timeoutMs(long value) {
        timeoutMs = value;
        return this;
    }

    public TestPlan limits(TransferLimits value) {
        limits = value;
        return this;
    }

    public TestPlan preserve(Preserve... values) {
        preserve = EnumSet.of(values[0], values);
        return this;
    }

    public TransferPlan at(int port) {
        return at("127.0.0.1", port);
    }

    public TransferPlan at(String host, int port) {
        List<RawPath> sources = new ArrayList<>(List.of(source));
        sources.addAll(moreSources);
        CopyRequest request = new CopyRequest(
                direction,
                new SourceSelection(sources, names, rules),
                target,
                new TargetRules(
                        TargetRules.Existing.SKIP_SAME,
                        false,
                        TargetRules.Durability.NONE,
                        true,
                        preserve,
                        TargetRules.DirectIo.AUTO,
                        false,
                        mirror),
                -1,
                durationNanos,
                lanes,
                DigestKind.XXH3_128,
                clearLanes,
                rateBitsPerSecond,
                false,
                1 << 20,
                timeoutMs);
        return new TransferPlan(host, port, request, List.of(), null, null, limits, null);
    }
}
