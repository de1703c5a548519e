package io.fdt.cli.report;

import io.fdt.cli.report.Drawing.Anchor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * How busy every core was over time. Each core keeps a row of its own, for an average over cores hides the one that is the
 * limit; long runs are cut into slices, each with the mean of its time.
 */
final class HeatMap implements Plot {
    private static final int MAX_ROWS = 512;
    private static final int MAX_SLICES = 150;
    private static final double MIN_HEIGHT = 90;
    private static final double MAX_HEIGHT = 640;
    private static final double ROW_HEIGHT = 16;
    private static final double LEGEND = 46;

    private final String title;
    private final double[] times;
    private final double[][] shares;

    /**
     * @param times when each interval ended, in seconds
     * @param intervals for every interval the busy share of each core, from 0 to 1, or NaN; one may know fewer cores
     */
    HeatMap(String title, double[] times, List<double[]> intervals) {
        int slices = Math.min(times.length, MAX_SLICES);
        int cores = intervals.stream().mapToInt(shares -> shares.length).max().orElse(0);
        int rows = Math.min(cores, MAX_ROWS);
        this.title = rows == cores ? title : title + " (the first " + rows + " of " + cores + ")";
        this.times = new double[slices];
        this.shares = new double[rows][slices];
        for (int slice = 0; slice < slices; slice++) {
            int from = (int) ((long) slice * times.length / slices);
            int to = (int) ((long) (slice + 1) * times.length / slices);
            this.times[slice] = times[to - 1];
            for (int row = 0; row < rows; row++) {
                this.shares[row][slice] = mean(intervals.subList(from, to), row);
            }
        }
    }

    private static double mean(List<double[]> intervals, int core) {
        return mean(intervals.stream()
                .filter(shares -> core < shares.length)
                .mapToDouble(shares -> shares[core])
                .toArray());
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).filter(Double::isFinite).average().orElse(Double.NaN);
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Drawing draw() {
        double height = Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, shares.length * ROW_HEIGHT));
        double bottom = Frame.TOP + height;
        Drawing drawing = Frame.paper(title, bottom + 44 + LEGEND);
        Cells across = new Cells(times.length, Frame.LEFT, Plot.WIDTH - Frame.RIGHT);
        Cells down = new Cells(shares.length, Frame.TOP, bottom);
        for (int row = 0; row < shares.length; row++) {
            for (int slice = 0; slice < times.length; slice++) {
                double share = shares[row][slice];
                boolean known = Double.isFinite(share);
                String note = "core " + row + ", " + Numbers.rounded(times[slice], 4) + " s: "
                        + (known ? Numbers.rounded(share * 100, 3) + " % busy" : "not measured");
                drawing.add(new Drawing.Box(
                        across.start(slice),
                        down.start(row),
                        across.thickness(),
                        down.thickness(),
                        known ? Ink.ofShare(share) : Ink.GRID,
                        note));
            }
        }
        down.labelDown(drawing, names(shares.length), Frame.LEFT - 8);
        List<String> seconds = new ArrayList<>();
        for (double time : times) {
            seconds.add(Numbers.rounded(time, 4));
        }
        across.labelAcross(drawing, seconds, bottom + 18);
        double middle = (Frame.LEFT + Plot.WIDTH - Frame.RIGHT) / 2;
        drawing.text(middle, bottom + 37, Frame.LABEL_SIZE, Anchor.MIDDLE, Ink.TEXT, "time (s)");
        drawing.add(new Drawing.Text(
                22, (Frame.TOP + bottom) / 2, Frame.LABEL_SIZE, Anchor.MIDDLE, true, Ink.TEXT, "core"));
        drawLegend(drawing, bottom + 52);
        return drawing;
    }

    private static List<String> names(int count) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add(String.valueOf(i));
        }
        return names;
    }

    private static void drawLegend(Drawing drawing, double top) {
        int steps = Ink.shareSteps();
        double width = 20;
        drawing.text(Frame.LEFT, top + 12, Frame.TICK_SIZE, Anchor.START, Ink.MUTED, "idle");
        double left = Frame.LEFT + 34;
        for (int i = 0; i < steps; i++) {
            drawing.add(new Drawing.Box(left + i * width, top, width, 14, Ink.ofShare((i + 0.5) / steps), ""));
        }
        drawing.text(left + steps * width + 8, top + 12, Frame.TICK_SIZE, Anchor.START, Ink.MUTED, "100 % busy");
    }

    @Override
    public Table table() {
        List<String> columns = List.of("core", "mean", "least", "most");
        List<List<String>> rows = new ArrayList<>();
        for (int row = 0; row < shares.length; row++) {
            double least = Double.NaN;
            double most = Double.NaN;
            for (double share : shares[row]) {
                if (Double.isFinite(share)) {
                    least = Double.isNaN(least) ? share : Math.min(least, share);
                    most = Double.isNaN(most) ? share : Math.max(most, share);
                }
            }
            double mean = mean(shares[row]);
            rows.add(List.of(String.valueOf(row), percent(mean), percent(least), percent(most)));
        }
        return new Table(columns, rows, rows.size());
    }

    private static String percent(double share) {
        return Unit.PERCENT.text(Math.rint(share * 1000) / 10);
    }
}
