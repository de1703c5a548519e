package io.fdt.cli.nettest;

import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Figures;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UnitTable;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.nettest.LoadPlan;
import io.fdt.core.nettest.NettestPath;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The arguments of {@code nettest load}. */
final class LoadRequest {
    static final List<Option> OPTIONS = List.of(
            NettestOptions.SIZE,
            NettestOptions.OFFERED,
            NettestOptions.RX_BUFFERS,
            NettestOptions.TX_BUFFERS,
            NettestOptions.DURATION,
            NettestOptions.BUSY_POLL);

    private static final int MOST_STEPS = 64;
    private static final int MOST_POOLS = 16;
    private static final String RANGE = "..";
    private static final Map<String, BigDecimal> UNITS = Map.of(
            "",
            BigDecimal.ONE,
            "k",
            BigDecimal.valueOf(1_000),
            "K",
            BigDecimal.valueOf(1_000),
            "M",
            BigDecimal.valueOf(1_000_000));

    private LoadRequest() {}

    static LoadPlan plan(NettestPath path, Settings settings) {
        if (!path.clear()) {
            throw UserText.refusal("the network test load measures clear lanes only; leave --tls out");
        }
        LoadPlan plan = new LoadPlan(
                path,
                settings.get(NettestOptions.SIZE, Sizes.between(LoadPlan.LEAST_SIZE_BYTES, LoadPlan.MOST_SIZE_BYTES))
                        .intValue(),
                settings.get(NettestOptions.OFFERED, LoadRequest::offered),
                settings.get(NettestOptions.RX_BUFFERS, LoadRequest::buffers),
                settings.get(NettestOptions.TX_BUFFERS, LoadRequest::buffers),
                settings.get(NettestOptions.DURATION, Times.betweenMs(100, 86_400_000)),
                settings.on(NettestOptions.BUSY_POLL));
        requirePools(plan);
        if (plan.stepMs() < LoadPlan.LEAST_STEP_MS) {
            throw UserText.refusal("--duration " + Figures.exactTimeMs(plan.durationMs()) + " is too short for "
                    + plan.steps() + " steps of at least " + Figures.exactTimeMs(LoadPlan.LEAST_STEP_MS)
                    + " each; give it more, or measure fewer pools or loads");
        }
        return plan;
    }

    private static void requirePools(LoadPlan plan) {
        for (LoadPlan.Pool pool : plan.pools()) {
            long bytes = (long) Math.max(pool.rxBuffers(), pool.txBuffers()) * plan.sizeBytes();
            if (bytes > LoadPlan.MOST_POOL_BYTES) {
                throw UserText.refusal(Math.max(pool.rxBuffers(), pool.txBuffers()) + " buffers of "
                        + Figures.exactBytes(plan.sizeBytes()) + " are more than the "
                        + Figures.exactBytes(LoadPlan.MOST_POOL_BYTES) + " that a pool may have");
            }
        }
    }

    private static List<Integer> buffers(String text) throws BadValueException {
        List<Integer> buffers = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int count = Words.number(1, LoadPlan.MOST_BUFFERS).parse(part);
            if (buffers.contains(count)) {
                throw new BadValueException(count + " occurs twice");
            }
            buffers.add(count);
        }
        if (buffers.size() > MOST_POOLS) {
            throw new BadValueException("more than " + MOST_POOLS + " pools");
        }
        return buffers;
    }

    /** Rising; empty for {@code auto}. */
    private static List<Integer> offered(String text) throws BadValueException {
        if (text.equals("auto")) {
            return List.of();
        }
        List<Integer> offered = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int dots = part.indexOf(RANGE);
            if (dots < 0) {
                offered.add(perSecond(part));
            } else {
                addDoubles(
                        offered, perSecond(part.substring(0, dots)), perSecond(part.substring(dots + RANGE.length())));
            }
        }
        if (offered.size() > MOST_STEPS) {
            throw new BadValueException("more than " + MOST_STEPS + " steps");
        }
        for (int at = 1; at < offered.size(); at++) {
            if (offered.get(at - 1) >= offered.get(at)) {
                throw new BadValueException("the values must ascend; write for example 10k,20k,50k");
            }
        }
        return offered;
    }

    private static void addDoubles(List<Integer> offered, int from, int to) throws BadValueException {
        if (from >= to) {
            throw new BadValueException("A..B doubles from A up to B; write for example 1k..64k");
        }
        for (long each = from; each < to; each *= 2) {
            offered.add((int) each);
        }
        offered.add(to);
    }

    private static int perSecond(String text) throws BadValueException {
        int digits = UnitTable.numberLength(text);
        BigDecimal unit = digits == 0 ? null : UNITS.get(text.substring(digits));
        Long product = unit == null ? null : UnitTable.product(text.substring(0, digits), unit);
        if (product == null || product < 1 || product > LoadPlan.MOST_PER_SECOND) {
            throw new BadValueException(
                    "not a number of requests per second from 1 to 100M; write for example 20000 or 20k");
        }
        return product.intValue();
    }
}
