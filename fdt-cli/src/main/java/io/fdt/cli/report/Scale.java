package io.fdt.cli.report;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** The mapping of an axis from values to shares of its length, and its ticks. Immutable. */
record Scale(Axis axis, double min, double max, List<Tick> ticks) {
    private static final int TICKS = 6;
    private static final int MAX_LOG_LABELS = 9;
    /** More than two numbers of a result can span. */
    private static final int MAX_PLACES = 2_000;

    /** A tick, with a label unless that is empty. */
    record Tick(double value, String label) {}

    /** A scale that contains both values and begins and ends at a round one; time ends where its values end. */
    static Scale of(Axis axis, double least, double most) {
        if (axis.ofCells()) {
            return ofCells(axis);
        }
        return axis.logarithmic() ? logarithmic(axis, least, most) : linear(axis, least, most);
    }

    /** A cell lies between its index and the next, with its name in the middle. */
    private static Scale ofCells(Axis axis) {
        List<Tick> ticks = new ArrayList<>();
        axis.cells().forEach(name -> ticks.add(new Tick(ticks.size() + 0.5, name)));
        return new Scale(axis, 0, ticks.size(), ticks);
    }

    private static Scale linear(Axis axis, double least, double most) {
        double low = Math.min(0, least);
        // A share is shown relative to the whole.
        double end = axis.unit() == Unit.PERCENT ? Math.max(100, most) : most;
        double high = end > low ? end : low + 1;
        double step = roundStep((high - low) / TICKS);
        double min = Math.floor(low / step) * step;
        // A value such as 100 % that differs from a tick only by rounding needs no further tick.
        double round = Math.ceil(high / step - 1e-9) * step;
        double max = axis.unit() == Unit.TIME ? high : round;
        List<Tick> ticks = new ArrayList<>();
        long count = (long) Math.floor((max - min) / step + 1e-6);
        for (long i = 0; i <= count; i++) {
            double value = min + i * step;
            ticks.add(new Tick(value, axis.unit().text(Math.abs(value) < step / 1e6 ? 0 : value)));
        }
        return new Scale(axis, min, max, ticks);
    }

    private static double roundStep(double rough) {
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        double digit = rough / power;
        return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
    }

    private static Scale logarithmic(Axis axis, double least, double most) {
        List<Double> places = axis.unit() == Unit.PERCENTILE ? percentiles(most) : places(axis.base(), least, most);
        double min = places.get(0);
        double max = places.get(places.size() - 1);
        boolean wide = max / min > 1_000;
        int powers = 0;
        int every = 1 + (int) (log(max / min, axis.base()) / MAX_LOG_LABELS);
        List<Tick> ticks = new ArrayList<>();
        for (double place : places) {
            boolean power = axis.unit() == Unit.PERCENTILE || isPower(place, axis.base());
            boolean labelled = power ? powers++ % every == 0 : !wide;
            ticks.add(new Tick(place, labelled ? axis.unit().text(place) : ""));
        }
        return new Scale(axis, min, max, ticks);
    }

    /** The median, then every further nine. */
    private static List<Double> percentiles(double most) {
        List<Double> places = new ArrayList<>(List.of(2.0, 10.0));
        while (places.get(places.size() - 1) < most * (1 - 1e-9)) {
            places.add(places.get(places.size() - 1) * 10);
        }
        return places;
    }

    /**
     * The powers of the base, and for ten their multiples by two and five: from the last one that does not exceed the
     * least value to the first one that is not below the most.
     */
    private static List<Double> places(int base, double least, double most) {
        int[] digits = base == 10 ? new int[] {1, 2, 5} : new int[] {1};
        List<Double> places = new ArrayList<>();
        for (int power = (int) Math.floor(log(least, base) + 1e-9); places.size() < MAX_PLACES; power++) {
            for (int digit : digits) {
                double place = base == 10
                        ? BigDecimal.valueOf(digit).scaleByPowerOfTen(power).doubleValue()
                        : Math.pow(base, power);
                if (place <= least * (1 + 1e-9)) {
                    places.clear();
                }
                places.add(place);
                if (place >= most * (1 - 1e-9) && places.size() > 1) {
                    return places;
                }
            }
        }
        return places;
    }

    private static boolean isPower(double value, int base) {
        double power = log(value, base);
        return Math.abs(power - Math.rint(power)) < 1e-9;
    }

    private static double log(double value, double base) {
        return Math.log(value) / Math.log(base);
    }

    /** The share of the length at which a value is; a value beyond the scale is at its end. */
    double at(double value) {
        double share = axis.logarithmic() ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
        return Math.min(1, Math.max(0, share));
    }
}
