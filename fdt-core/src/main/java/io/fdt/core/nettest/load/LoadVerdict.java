package io.fdt.core.nettest.load;

import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.nettest.load.LoadPoint.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
record LoadVerdict(
        Pool pool,
        @Nullable LoadPoint keptUp,
        @Nullable LoadPoint shortfall,
        LoadPoint best,
        @Nullable LoadPoint fall) {
    /** Less than this share of the best is a fall and no scatter. */
    private static final double FALLEN = 0.9;

    /** One for each pool of which anything was measured, in their order. */
    static List<LoadVerdict> of(List<LoadPoint> points) {
        List<LoadVerdict> verdicts = new ArrayList<>();
        for (Pool pool : points.stream().map(LoadPoint::pool).distinct().toList()) {
            verdicts.add(ofPool(
                    points.stream().filter(point -> point.pool().equals(pool)).toList()));
        }
        return verdicts;
    }

    private static LoadVerdict ofPool(List<LoadPoint> steps) {
        LoadPoint keptUp = null;
        LoadPoint shortfall = null;
        LoadPoint best = steps.get(0);
        LoadPoint fall = null;
        for (LoadPoint step : steps) {
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

    NamedFigures figures() {
        List<String> ranOut = shortfall == null ? List.of() : shortfall.ranOutWords();
        return pool.figures()
                .withKnown("kept_up_to", keptUp == null ? -1 : keptUp.offeredPerSecond())
                .with("best_per_second", best.achievedPerSecond(), 1)
                .withKnown("falls_at", fall == null ? -1 : fall.offeredPerSecond())
                .with("ran_out", ranOut)
                .with("sentence", sentence(ranOut));
    }

    private String sentence(List<String> ranOut) {
        if (shortfall == null) {
            return "all was done" + (keptUp == null ? "" : ", up to " + keptUp.offeredPerSecond() + " a second");
        }
        return (keptUp == null ? "" : "all was done up to " + keptUp.offeredPerSecond() + " a second; ")
                + text(
                        "of %d only %.0f, where %s ran out; at most %.0f",
                        shortfall.offeredPerSecond(),
                        shortfall.achievedPerSecond(),
                        String.join(" and ", ranOut),
                        best.achievedPerSecond())
                + (fall == null
                        ? ""
                        : text(", falling to %.0f of %d", fall.achievedPerSecond(), fall.offeredPerSecond()));
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
