package io.fdt.core.nettest;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The schedule of a test that asks and waits for each answer, size after size, and the measurements of all its lanes.
 * The lanes begin together, and change the size together without waiting for each other. Thread-safe.
 */
public final class Rounds {
    private static final long MAX_WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    final List<Integer> sizes;
    final long roundNanos;
    final long warmUpNanos;
    final long warmUps;
    final long least;
    private final List<Questions> lanes = new CopyOnWriteArrayList<>();
    private final List<Round> ended = new ArrayList<>();
    private @Nullable Long beganNanos;

    /** The measurements of one size, from the first question to the last answer. */
    public record Round(int sizeBytes, long firstNanos, long lastNanos, Latencies latencies) {
        private Round and(Round other) {
            return new Round(
                    sizeBytes,
                    Math.min(firstNanos, other.firstNanos),
                    Math.max(lastNanos, other.lastNanos),
                    Latencies.sum(List.of(latencies, other.latencies)));
        }

        public double seconds() {
            return (lastNanos - firstNanos) / 1e9;
        }

        public double perSecond() {
            return lastNanos <= firstNanos ? 0 : latencies.count() / seconds();
        }
    }

    private Rounds(List<Integer> sizes, long roundNanos, long warmUpNanos, long warmUps, long least) {
        this.sizes = sizes;
        this.roundNanos = roundNanos;
        this.warmUpNanos = warmUpNanos;
        this.warmUps = warmUps;
        this.least = least;
        sizes.forEach(size -> ended.add(new Round(size, Long.MAX_VALUE, Long.MIN_VALUE, new Latencies())));
    }

    /**
     * For each size this time, counted from the first question of any lane, and at least one answer of each lane. A
     * share of it, up to a limit, is warm-up.
     */
    public static Rounds ofTime(List<Integer> sizes, long roundNanos, int warmUpShare) {
        return new Rounds(sizes, roundNanos, Math.min(MAX_WARM_UP_NANOS, roundNanos / warmUpShare), 0, 1);
    }

    /** For each size this number of answers, after some that are not counted. */
    public static Rounds ofCount(List<Integer> sizes, long warmUps, long answers) {
        return new Rounds(sizes, 0, 0, warmUps, answers);
    }

    void join(Questions lane) {
        lanes.add(lane);
    }

    /** The first lane that asks begins the first round of all. */
    synchronized long begin(long nowNanos) {
        long began = beganNanos == null ? nowNanos : beganNanos;
        beganNanos = began;
        return began;
    }

    synchronized void end(int round, Round measured) {
        ended.set(round, ended.get(round).and(measured));
    }

    public boolean isComplete() {
        return !lanes.isEmpty() && lanes.stream().allMatch(lane -> lane.round == sizes.size());
    }

    /** Of tests that run at the same time. */
    public static JsonObject progress(SideState local, List<Rounds> tests, long of) {
        List<Integer> sizes = tests.get(0).sizes;
        List<Questions> all =
                tests.stream().flatMap(test -> test.lanes.stream()).toList();
        int least = all.stream().mapToInt(lane -> lane.round).min().orElse(0);
        int now = Math.max(0, Math.min(least, sizes.size() - 1));
        long counted = all.stream().mapToLong(lane -> lane.counted.get()).sum();
        return progress(local, now, sizes.size(), sizes.get(now), counted, of);
    }

    public static JsonObject progress(SideState local, int round, int rounds, int sizeBytes, long done, long of) {
        return new JsonObject()
                .with("t", local.elapsedNanos() / 1e9, 3)
                .with("round", round + 1)
                .with("rounds", rounds)
                .with("size_bytes", sizeBytes)
                .with("done", done)
                .with("of", of);
    }

    /** The measurements of each size that has any, of tests that ran at the same time. */
    public static List<Round> results(List<Rounds> tests) {
        List<Round> results = new ArrayList<>();
        for (int round = 0; round < tests.get(0).sizes.size(); round++) {
            int at = round;
            tests.stream()
                    .map(test -> test.result(at))
                    .reduce(Round::and)
                    .filter(all -> all.latencies().count() > 0)
                    .ifPresent(results::add);
        }
        return results;
    }

    private synchronized Round result(int round) {
        return lanes.stream()
                .filter(lane -> lane.round == round)
                .map(Questions::measured)
                .reduce(ended.get(round), Round::and);
    }
}
