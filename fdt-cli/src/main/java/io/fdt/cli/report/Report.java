package io.fdt.cli.report;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.NewFile;
import io.fdt.core.basic.Word;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.service.Suites;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The report of one or more results of network tests, with what they are compared with. This is the package's public
 * interface: a command creates a report from result files, or from the result that it has just measured, and writes it
 * to a file.
 */
public final class Report {
    /** More results cannot be distinguished in a plot. */
    private static final int MAX_RESULTS = 32;

    private final List<Section> sections;

    record Section(Suite suite, List<Measurement> measurements, List<Chart> charts) {
        /** Shown if there are no charts. */
        static final String NOTHING = "There is nothing to plot: these results contain no figures.";

        static Section of(Suite suite, List<Measurement> measurements) {
            // An empty chart is left out: a result need not contain everything that its suite can measure.
            List<Chart> charts = all(suite, measurements).stream()
                    .filter(chart -> !chart.table().rows().isEmpty())
                    .toList();
            return new Section(suite, measurements, charts);
        }

        private static List<Chart> all(Suite suite, List<Measurement> measurements) {
            return suite.plots().stream()
                    .flatMap(plot -> PointPlots.of(plot, measurements).stream())
                    .toList();
        }
    }

    private Report(List<Section> sections) {
        this.sections = sections;
    }

    /**
     * Plots result files with published figures or further result files. Throws USAGE for a name that is neither or
     * that matches none of the results, and SOURCE for a file that is not a result.
     *
     * @param optionNames returns the name of a setting in the help, by its name in results
     */
    public static Report ofFiles(List<Path> results, List<String> comparisons, UnaryOperator<String> optionNames) {
        if (results.isEmpty()) {
            throw Cause.USAGE.failure("name a result file: fdt nettest report RESULT.json --report OUT.html");
        }
        Origins origins = new Origins(optionNames);
        results.forEach(origins::addFile);
        return origins.report(comparisons);
    }

    /**
     * Like {@link #ofFiles}, for a result in memory with this name; {@code json} is the object that {@code --json}
     * prints.
     */
    public static Report ofResult(
            String name, String json, List<String> comparisons, UnaryOperator<String> optionNames) {
        Origins origins = new Origins(optionNames);
        origins.addResult(name, ResultFile.parse(json, "the result"), "the result");
        return origins.report(comparisons);
    }

    /** Refuses what is neither a file nor published figures of the suite, before a long test is run for it. */
    public static void checkComparison(String comparison, Suite suite) {
        Measurement measurement = comparisonOf(comparison, name -> name, name -> name);
        if (measurement.suite() != suite) {
            throw doesNotFit(comparison, measurement, Set.of(suite));
        }
    }

    /** Refuses an invalid name of a report, before anything is read or measured for it. */
    public static void checkOutput(Path file) {
        Format.of(file);
    }

    /** The names of all published figures, each with its description, suite, hardware and curves, in lines. */
    public static List<String> published() {
        List<String> lines = new ArrayList<>();
        for (FigureSet figures : FigureSet.all()) {
            lines.add(
                    figures.name() + ": " + figures.of("title") + " (" + figures.suite() + "), " + figures.of("year"));
            lines.add("  hardware: " + figures.of("hardware"));
            lines.add("  curves: " + String.join(", ", figures.curves()));
        }
        return lines;
    }

    /** Writes the report in the format given by the ending of the name. Replaces an existing file as a whole. */
    public void writeTo(Path file) {
        byte[] content = bytes(Format.of(file));
        try {
            if (Files.isDirectory(file)) {
                throw notWritten(file, "it is a directory", null);
            }
            NewFile.write(file, content);
        } catch (IOException e) {
            throw notWritten(file, TransferException.reason(e), e);
        }
    }

    byte[] bytes(Format format) {
        return switch (format) {
            case HTML -> Page.of(sections).getBytes(StandardCharsets.UTF_8);
            case SVG -> Svg.of(sections).getBytes(StandardCharsets.UTF_8);
        };
    }

    List<Section> sections() {
        return sections;
    }

    private static TransferException notWritten(Path file, String why, @Nullable Throwable cause) {
        return Cause.NO_RECORD.failure("cannot write the report " + ResultFile.shown(file) + ": " + why, cause);
    }

    /** The formats of a report, by the ending of its name. */
    enum Format {
        HTML,
        SVG;

        static Format of(Path file) {
            String name = file.toString().toLowerCase(Locale.ROOT);
            for (Format format : values()) {
                if (name.endsWith("." + Word.of(format))) {
                    return format;
                }
            }
            throw Cause.USAGE.failure("a report must be .html or .svg, not " + ResultFile.shown(file));
        }
    }

    private static Measurement comparisonOf(
            String comparison, UnaryOperator<String> naming, UnaryOperator<String> optionNames) {
        FigureSet figures = FigureSet.named(comparison);
        if (figures != null) {
            return Measurement.ofFigures(figures, knownSuite(figures.suite(), figures.name()));
        }
        Path file = pathOf(comparison);
        if (file == null || !Files.exists(file)) {
            throw Cause.USAGE.failure("--compare " + RawPath.ofText(comparison).display()
                    + " is neither a published figure nor a file; published are "
                    + String.join(", ", FigureSet.NAMES) + "; see fdt nettest report --list");
        }
        JsonObject result = ResultFile.read(file);
        return Measurement.ofResult(
                naming.apply(nameOf(file)),
                true,
                knownSuite(result.text("suite"), ResultFile.shown(file)),
                result,
                optionNames);
    }

    private static @Nullable Path pathOf(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private static Suite knownSuite(String word, String shown) {
        return Suites.named(word)
                .orElseThrow(() -> Cause.SOURCE.failure(shown + " is a result of the suite '"
                        + RawPath.ofText(word.replace('\0', '?')).display()
                        + "', which this release does not know"));
    }

    private static TransferException doesNotFit(String comparison, Measurement measurement, Set<Suite> suites) {
        List<String> words = suites.stream().map(Suite::name).toList();
        List<String> fitting = FigureSet.all().stream()
                .filter(figures -> words.contains(figures.suite()))
                .map(FigureSet::name)
                .toList();
        return Cause.USAGE.failure("--compare " + RawPath.ofText(comparison).display() + " is of the suite "
                + measurement.suite().name() + ", the result is of " + String.join(", ", words)
                + "; published figures for that: " + (fitting.isEmpty() ? "none" : String.join(", ", fitting)));
    }

    /** The file's name without its directory and ending. */
    private static String nameOf(Path file) {
        Path last = file.getFileName();
        String name = last == null ? "result" : last.toString();
        int dot = name.lastIndexOf('.');
        return dot > 0 ? name.substring(0, dot) : name;
    }

    /** Collects measurements, gives each a unique name, and groups them by suite. */
    private static final class Origins {
        private final Map<Suite, List<Measurement>> bySuite = new LinkedHashMap<>();
        private final Set<String> names = new LinkedHashSet<>();
        private final UnaryOperator<String> optionNames;

        Origins(UnaryOperator<String> optionNames) {
            this.optionNames = optionNames;
        }

        void addFile(Path file) {
            addResult(nameOf(file), ResultFile.read(file), ResultFile.shown(file));
        }

        void addResult(String name, JsonObject result, String shown) {
            Suite suite = knownSuite(result.text("suite"), shown);
            bySuite.computeIfAbsent(suite, missing -> new ArrayList<>())
                    .add(Measurement.ofResult(unique(name), false, suite, result, optionNames));
            if (names.size() > MAX_RESULTS) {
                throw Cause.USAGE.failure("more than " + MAX_RESULTS + " results in one report; make several reports");
            }
        }

        /** The name, followed by a number if it is already taken. */
        private String unique(String name) {
            String candidate = name;
            for (int i = 2; !names.add(candidate); i++) {
                candidate = name + " (" + i + ")";
            }
            return candidate;
        }

        Report report(List<String> comparisons) {
            for (String comparison : new LinkedHashSet<>(comparisons)) {
                Measurement measurement = comparisonOf(comparison, this::unique, optionNames);
                List<Measurement> alike = bySuite.get(measurement.suite());
                if (alike == null) {
                    throw doesNotFit(comparison, measurement, bySuite.keySet());
                }
                alike.add(measurement);
            }
            List<Section> sections = new ArrayList<>();
            bySuite.forEach((suite, measurements) -> sections.add(Section.of(suite, measurements)));
            return new Report(List.copyOf(sections));
        }
    }
}
