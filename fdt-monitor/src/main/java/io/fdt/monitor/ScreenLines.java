package io.fdt.monitor;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.HostView;
import io.fdt.core.plan.Printable;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.SessionState;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Formats a sample as lines for a terminal of a given size: sessions, cores with their modes, NICs, queues. If not
 * everything fits, the busiest are shown, and the last line counts those left out. Pure functions.
 */
final class ScreenLines {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final int CORE_WIDTH = 54;
    /** The width of a core's number and its five columns. */
    private static final int CORE_NUMBERS_WIDTH = 5 + 5 * 6;

    private static final int GAP = 2;
    private static final int MIN_TABLE_ROWS = 3;
    /** The fewest rows with which the last one can be used for what is not shown. */
    private static final int ROWS_WITH_A_NOTE = 4;

    private static final String SESSION_NUMBERS = " %13s %5s %8s %5s  ";
    private static final int SESSION_NUMBERS_WIDTH = 37;
    private static final int SESSION_NAME_WIDTH = 26;
    private static final int MIN_SESSION_NAME_WIDTH = 10;

    /** The longest verdict in one word, and the shortest part of a sentence that is worth showing. */
    private static final int SHORT_VERDICT_WIDTH = 19;

    private static final int MIN_SENTENCE_WIDTH = 40;

    /**
     * The characters for user, system, softirq and steal in a bar; below, their colours for terminals that support
     * them.
     */
    private static final char[] MARKS = {'|', '=', '#', 'x'};

    private static final String[] COLOURS = {"\u001b[34m", "\u001b[35m", "\u001b[33m", "\u001b[31m"};
    private static final String HEAD = "\u001b[1m";
    private static final String PLAIN = "\u001b[m";

    private final String first;
    private final int columns;
    private final boolean colours;
    private final List<String> lines = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();

    private ScreenLines(String first, int columns, boolean colours) {
        this.first = first;
        this.columns = columns;
        this.colours = colours;
    }

    /**
     * @param keys describes the keys
     * @param note replaces the first line; null for none
     */
    static List<String> of(Sample sample, String keys, @Nullable String note, int rows, int columns, boolean colours) {
        String first = note == null ? head(sample) + "   " + keys : note;
        ScreenLines all = new ScreenLines(first, Math.max(1, columns), colours);
        all.fill(sample, rows);
        if (all.missing.isEmpty() || rows < ROWS_WITH_A_NOTE) {
            return all.first(rows);
        }
        ScreenLines most = new ScreenLines(first, all.columns, colours);
        most.fill(sample, rows - 1);
        List<String> shown = new ArrayList<>(most.first(rows - 1));
        shown.add(cut("not shown: " + String.join(", ", most.missing), all.columns));
        return shown;
    }

    private List<String> first(int rows) {
        return List.copyOf(lines.subList(0, Math.max(0, Math.min(rows, lines.size()))));
    }

    private void fill(Sample sample, int rows) {
        List<SessionState> sessions = sample.sessions().stream()
                .sorted(Comparator.comparing(
                                (SessionState session) -> session.run().isEnded())
                        .thenComparing(Comparator.comparingDouble((SessionState session) ->
                                        session.amounts().bytesPerSecond())
                                .reversed()))
                .toList();
        List<HostView.Nic> nics = sample.view().nics().stream()
                .sorted(Comparator.comparingDouble((HostView.Nic nic) -> -moved(nic)))
                .toList();
        List<QueueRate> queues = sample.devices().queues().stream()
                .sorted(Comparator.comparingDouble((QueueRate queue) -> -queue.interruptsPerSecond()))
                .toList();
        head(first);
        int left = rows - 1;
        int others = 1 + rowsOfCores(sample.view().cores().size()) + rowsOf(nics.size()) + rowsOf(queues.size());
        int room = Math.max(left - 1 - others, Math.max(MIN_TABLE_ROWS, left / 3));
        int forSessions = part(sessions.size(), room, "sessions");
        if (forSessions > 0) {
            addSessions(sessions.subList(0, forSessions), sample.lanes());
            left -= forSessions + 1;
        }
        int rest = rowsAtLeast(nics.size()) + rowsAtLeast(queues.size());
        left -= addCores(sample.view().cores(), Math.max(left - rest, (left + 1) / 2));
        int forNics = part(nics.size(), left - 2 - rowsAtLeast(queues.size()), "NICs");
        if (forNics > 0) {
            addNics(nics, forNics);
            left -= forNics + 2;
        }
        int forQueues = part(queues.size(), left - 2, "queues");
        if (forQueues > 0) {
            addQueues(queues, forQueues);
        }
    }

    /** Returns how many items fit, and notes how many are left out. */
    private int part(int size, int room, String what) {
        int shown = Math.min(size, Math.max(0, room));
        if (shown < size) {
            missing.add(size - shown + " of " + size + " " + what);
        }
        return shown;
    }

    private static double moved(HostView.Nic nic) {
        return Math.max(0, nic.rxBytesPerSecond()) + Math.max(0, nic.txBytesPerSecond());
    }

    private static int rowsAtLeast(int items) {
        return rowsOf(Math.min(items, MIN_TABLE_ROWS));
    }

    /** Includes a blank line and a heading. */
    private static int rowsOf(int items) {
        return items == 0 ? 0 : 2 + items;
    }

    private int coresAcross() {
        return Math.max(1, (columns + GAP) / (CORE_WIDTH + GAP));
    }

    private int rowsOfCores(int cores) {
        return (cores + coresAcross() - 1) / coresAcross();
    }

    private static String head(Sample sample) {
        List<HostView.Core> cores = sample.view().cores();
        double all = cores.stream().mapToDouble(ScreenLines::busy).average().orElse(0);
        double softirq = cores.stream()
                .mapToDouble(core -> core.shares().softirq() + core.shares().irq())
                .average()
                .orElse(0);
        String time = CLOCK.format(Instant.ofEpochMilli(sample.epochMs()).atZone(ZoneId.systemDefault()));
        return "fdt " + Printable.of(sample.role()) + " on "
                + Printable.of(sample.view().host()) + "  " + time + "   busy " + percent(all) + ", softirq "
                + percent(softirq);
    }

    private void addSessions(List<SessionState> sessions, List<LaneState> lanes) {
        int nameWidth = Math.max(
                MIN_SESSION_NAME_WIDTH,
                Math.min(SESSION_NAME_WIDTH, columns - SESSION_NUMBERS_WIDTH - SHORT_VERDICT_WIDTH));
        int verdictWidth = Math.max(0, columns - SESSION_NUMBERS_WIDTH - nameWidth);
        String format = "%-" + nameWidth + "s" + SESSION_NUMBERS + "%s";
        head(Figures.text(format, "session", "rate", "done", "left", "lanes", "bottleneck"));
        for (SessionState session : sessions) {
            Sample.SessionName about = session.name();
            Sample.Amounts amounts = session.amounts();
            boolean ended = session.run().isEnded();
            long open = lanes.stream()
                    .filter(lane -> lane.session().equals(about.session()))
                    .count();
            double left = amounts.secondsLeft();
            String name = about.session() + " " + about.service() + (about.isOutgoing() ? " to " : " from ")
                    + FigureList.withoutPort(about.peer());
            lines.add(cut(
                    Figures.text(
                            format,
                            cut(Printable.of(name), nameWidth),
                            ended ? "-" : Figures.bitRate(8 * amounts.bytesPerSecond()),
                            amounts.share() < 0 ? "-" : percent(amounts.share()),
                            left < 0 || ended ? "-" : clock(Math.round(left)),
                            ended ? "-" : String.valueOf(open),
                            verdict(session, verdictWidth)),
                    columns));
        }
    }

    /** Returns the verdict in full, or up to a word that fits, or its first words only. */
    private static String verdict(SessionState session, int width) {
        String full = Printable.of(verdict(session));
        if (full.length() <= width) {
            return full;
        }
        int last = full.lastIndexOf(' ', width - 2);
        int first = full.indexOf(':');
        return (width >= MIN_SENTENCE_WIDTH && last > first) || first < 0
                ? full.substring(0, Math.max(0, last)) + " …"
                : full.substring(0, first);
    }

    private static String verdict(SessionState session) {
        Sample.Run run = session.run();
        if (run.isEnded()) {
            String outcome = run.outcome();
            if (outcome == null || outcome.equals("ok")) {
                return outcome == null ? "ended" : "ended: ok";
            }
            String reason = run.reason() == null ? "" : ": " + run.reason();
            return outcome + ", exit code " + run.exitCode() + reason;
        }
        Sample.Limit limit = session.bottleneck();
        return limit == null ? "-" : limit.word() + (limit.sentence().isEmpty() ? "" : ": " + limit.sentence());
    }

    private static String clock(long seconds) {
        return seconds < 3600
                ? Figures.text("%d:%02d", seconds / 60, seconds % 60)
                : seconds < 360_000
                        ? Figures.text("%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
                        : seconds / 86_400 + " d";
    }

    /** Returns the number of rows used. */
    private int addCores(List<HostView.Core> all, int most) {
        List<HostView.Core> cores = all;
        int across = coresAcross();
        int width = across == 1 ? Math.min(columns, CORE_WIDTH) : CORE_WIDTH;
        int rows = Math.max(1, Math.min(rowsOfCores(cores.size()), most - 1));
        int shown = part(cores.size(), rows * across, "cores");
        if (shown < cores.size()) {
            cores = cores.stream()
                    .sorted(Comparator.comparingDouble((HostView.Core core) -> -busy(core)))
                    .limit(shown)
                    .toList();
        }
        String title = cut(
                "core " + " ".repeat(Math.max(0, width - CORE_NUMBERS_WIDTH)) + "  busy  user   sys  sirq   iow",
                width);
        head(String.join(" ".repeat(GAP), Collections.nCopies(Math.max(1, Math.min(across, cores.size())), title)));
        // Column by column, since numbers are read downwards.
        rows = Math.max(1, (cores.size() + across - 1) / across);
        for (int row = 0; row < rows && !cores.isEmpty(); row++) {
            StringBuilder line = new StringBuilder();
            for (int at = row; at < cores.size(); at += rows) {
                line.append(at == row ? "" : " ".repeat(GAP)).append(core(cores.get(at), width));
            }
            lines.add(line.toString());
        }
        return rows + 1;
    }

    private static double busy(HostView.Core core) {
        return Math.min(
                1,
                core.shares().user()
                        + core.shares().nice()
                        + core.shares().system()
                        + core.shares().irq()
                        + core.shares().softirq()
                        + core.shares().steal());
    }

    /** Returns a core's bar and numbers; on a narrow screen, as many of the numbers as fit. */
    private String core(HostView.Core core, int width) {
        String number = pad(String.valueOf(core.core()), 4) + " ";
        String numbers = column(busy(core))
                + column(core.shares().user() + core.shares().nice())
                + column(core.shares().system())
                + column(core.shares().softirq() + core.shares().irq())
                + column(core.shares().iowait());
        int bar = Math.max(0, width - CORE_NUMBERS_WIDTH);
        return bar == 0 ? cut(number + numbers, width) : number + bar(core, bar) + numbers;
    }

    private static String column(double share) {
        return pad(percent(share), 6);
    }

    private String bar(HostView.Core core, int width) {
        double[] shares = {
            core.shares().user() + core.shares().nice(),
            core.shares().system(),
            core.shares().softirq() + core.shares().irq(),
            core.shares().steal(),
        };
        StringBuilder bar = new StringBuilder();
        double sum = 0;
        int filled = 0;
        for (int part = 0; part < shares.length; part++) {
            sum += shares[part];
            int until = (int) Math.min(width, Math.round(sum * width));
            if (until > filled) {
                bar.append(coloured(String.valueOf(MARKS[part]).repeat(until - filled), COLOURS[part]));
                filled = until;
            }
        }
        return bar + " ".repeat(width - filled);
    }

    private void addNics(List<HostView.Nic> nics, int count) {
        lines.add("");
        head(Figures.text("%-16s %13s %13s %13s %8s %8s", "NIC", "in", "out", "speed", "used", "drops/s"));
        for (HostView.Nic nic : nics.subList(0, count)) {
            double most = Math.max(nic.rxBytesPerSecond(), nic.txBytesPerSecond());
            String name = nic.bond() == null ? nic.nic() : nic.nic() + " (" + nic.bond() + ")";
            lines.add(cut(
                    Figures.text(
                            "%-16s %13s %13s %13s %8s %8s",
                            Printable.of(name),
                            bits(nic.rxBytesPerSecond()),
                            bits(nic.txBytesPerSecond()),
                            nic.speedBits() <= 0 ? "-" : Figures.bitRate((double) nic.speedBits()),
                            nic.speedBits() <= 0 || most < 0 ? "-" : percent(8 * most / nic.speedBits()),
                            whole(
                                    nic.rxDropsPerSecond() < 0
                                            ? nic.txDropsPerSecond()
                                            : nic.rxDropsPerSecond() + Math.max(0, nic.txDropsPerSecond()))),
                    columns));
        }
    }

    private void addQueues(List<QueueRate> queues, int count) {
        lines.add("");
        head(Figures.text("%-24s %6s %14s %6s", "queue", "core", "interrupts/s", "irq"));
        for (QueueRate queue : queues.subList(0, count)) {
            lines.add(cut(
                    Figures.text(
                            "%-24s %6s %14s %6d",
                            Printable.of(queue.nic() + " " + queue.queue()),
                            queue.core() < 0 ? "-" : String.valueOf(queue.core()),
                            whole(queue.interruptsPerSecond()),
                            queue.irq()),
                    columns));
        }
    }

    private void head(String text) {
        lines.add(coloured(cut(text, columns), HEAD));
    }

    private String coloured(String text, String colour) {
        return colours ? colour + text + PLAIN : text;
    }

    private static String cut(String text, int width) {
        return text.length() <= width ? text : text.substring(0, width);
    }

    private static String pad(String text, int width) {
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }

    private static String percent(double share) {
        return Math.round(100 * share) + "%";
    }

    private static String bits(double bytesPerSecond) {
        return bytesPerSecond < 0 ? "-" : Figures.bitRate(8 * bytesPerSecond);
    }

    private static String whole(double rate) {
        return rate < 0 ? "-" : String.valueOf(Math.round(rate));
    }
}
