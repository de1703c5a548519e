package io.fdt.core.nettest;

import io.fdt.core.nettest.LoadPlan.Pool;
import io.fdt.core.nettest.LoadResult.Point;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What became of one pool as the load rose.
 *
 * @param keptUp the last step before the first one that was not done whole; null when not even the first was
 * @param shortfall the first step that was not done whole; null when all were
 * @param best the step in which most requests a second were done
 * @param fall the first step after the best in which clearly fewer were done, although more were offered; null when
 * there is none
 */
public record LoadVerdict(
        Pool pool,
        @Nullable Point keptUp,
        @Nullable Point shortfall,
        Point best,
        @Nullable Point fall) {
    /** Less than this share of the best is a fall and no scatter. */
    private static final double FALLEN = 0.9;

    /** One for each pool of which anything was measured, in their order. */
    static List<LoadVerdict> of(List<Point> points) {
        List<LoadVerdict> verdicts = new ArrayList<>();
        for (Pool pool : points.stream().map(Point::pool).distinct().toList()) {
            verdicts.add(ofPool(
                    points.stream().filter(point -> point.pool().equals(pool)).toList()));
        }
        return verdicts;
    }

    private static LoadVerdict ofPool(List<Point> steps) {
        Point keptUp = null;
        Point shortfall = null;
        Point best = steps.get(0);
        Point fall = null;
        for (Point step : steps) {
            if (shortfall == null) {
                if (LoadLimit.keptUp(step)) {
                    keptUp = step;
                } else {
                    shortfall = step;
                }
            }
            if (step.achievedPerSecond() > best.achievedPerSecond()) {
                best = step;
                fall = null;
            } else if (fall == null && step.achievedPerSecond() < FALLEN * best.achievedPerSecond()) {
                fall = step;
            }
        }
        return new LoadVerdict(best.pool(), keptUp, shortfall, best, fall);
    }
}
