package io.fdt.core.nettest.load;

import static io.fdt.core.basic.Figures.text;

import io.fdt.core.basic.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The results of one pool under rising load.
 *
 * @param keptUp the last step before the first incomplete one; null if the first step was incomplete
 * @param shortfall the first incomplete step; null if there is none
 * @param best the step with the most completed requests per second
 * @param fall the first step after the best with clearly fewer completed requests, although more were offered; null if
 *     there is none
 */
record LoadVerdict(
        @Nullable JsonObject keptUp,
        @Nullable JsonObject shortfall,
        JsonObject best,
        @Nullable JsonObject fall) {
    /** Less than this share of the best is a decline and not noise. */
    private static final double FALLEN = 0.9;

    /** One for each measured pool, in order. */
    static List<LoadVerdict> of(List<JsonObject> points) {
        Map<List<Long>, List<JsonObject>> pools = points.stream()
                .collect(Collectors.groupingBy(
                        point -> List.of(point.count("rx_buffers"), point.count("tx_buffers")),
                        LinkedHashMap::new,
                        Collectors.toList()));
        return pools.values().stream().map(LoadVerdict::ofPool).toList();
    }

    private static LoadVerdict ofPool(List<JsonObject> steps) {
        JsonObject keptUp = null;
        JsonObject shortfall = null;
        JsonObject best = steps.get(0);
        JsonObject fall = null;
        for (JsonObject step : steps) {
            if (shortfall == null) {
                if (LoadLimit.keptUp(step)) {
                    keptUp = step;
                } else {
                    shortfall = step;
                }
            }
            if (achieved(step) > achieved(best)) {
                best = step;
                fall = null;
            } else if (fall == null && achieved(step) < FALLEN * achieved(best)) {
                fall = step;
            }
        }
        return new LoadVerdict(keptUp, shortfall, best, fall);
    }

    JsonObject figures() {
        List<String> ranOut = shortfall == null ? List.of() : shortfall.texts("ran_out");
        return new JsonObject()
                .with("rx_buffers", best.count("rx_buffers"))
                .with("tx_buffers", best.count("tx_buffers"))
                .withKnown("kept_up_to", keptUp == null ? -1 : offered(keptUp))
                .with("best_per_second", achieved(best), 1)
                .withKnown("falls_at", fall == null ? -1 : offered(fall))
                .with("ran_out", ranOut)
                .with("sentence", sentence(ranOut));
    }

    private String sentence(List<String> ranOut) {
        if (shortfall == null) {
            return "all was done" + (keptUp == null ? "" : ", up to " + offered(keptUp) + " a second");
        }
        return (keptUp == null ? "" : "all was done up to " + offered(keptUp) + " a second; ")
                + text(
                        "of %d only %.0f, where %s ran out; at most %.0f",
                        offered(shortfall), achieved(shortfall), String.join(" and ", ranOut), achieved(best))
                + (fall == null ? "" : text(", falling to %.0f of %d", achieved(fall), offered(fall)));
    }

    private static long offered(JsonObject step) {
        return step.count("offered_per_second");
    }

    private static double achieved(JsonObject step) {
        return step.amount("achieved_per_second");
    }
}
