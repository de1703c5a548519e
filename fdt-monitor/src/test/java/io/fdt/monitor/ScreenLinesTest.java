package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.HostView;
import io.fdt.core.stats.Moved;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.QueueRate;
import io.fdt.monitor.figure.Sample.SessionState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The screen of a host on terminals of many sizes: its contents, and that the contents always fit. */
final class ScreenLinesTest {
    private static final HostView.Core SERVES =
            new HostView.Core(7, 0, new HostView.Shares(0.02, 0, 0.03, 0.05, 0.85, 0, 0));

    private static Sample sample(int cores, int nics, int queues) {
        return new Sample(
                1_790_000_000_000L,
                "monitor",
                new HostView(
                        "dtn1",
                        IntStream.range(0, cores)
                                .mapToObj(core -> core == 7
                                        ? SERVES
                                        : new HostView.Core(
                                                core, core / 12, new HostView.Shares(0.25, 0, 0.125, 0, 0, 0.0625, 0)))
                                .toList(),
                        IntStream.range(0, nics)
                                .mapToObj(nic ->
                                        new HostView.Nic("eth" + nic, 100_000_000_000L, null, 1e9 * nic, 0, 0, 0))
                                .toList()),
                new Sample.Devices(
                        IntStream.range(0, queues)
                                .mapToObj(queue ->
                                        new QueueRate("eth0", "rx-" + queue, 100 + queue, queue % 24, 1000 * queue))
                                .toList(),
                        List.of()),
                List.of(),
                List.of(),
                Map.of());
    }

    @Test
    void showsEveryCoreWithItsModesAndNicsAndQueues() {
        List<String> lines = draw(sample(24, 2, 5), 50, 80, false);

        assertThat(lines.get(0)).startsWith("fdt monitor on dtn1  ").contains("q quits");
        assertThat(lines.get(1)).contains("core", "busy", "user", "sys", "sirq", "iow");
        assertThat(lines.subList(2, 26)).allMatch(line -> line.length() == 54);
        assertThat(lines.get(9))
                .as("core 7: 19 places for two in a hundred of user, three of system, and ninety of softirq")
                .isEqualTo("   7 =" + "#".repeat(17) + "    95%    2%    3%   90%    0%");
        assertThat(lines.get(2)).startsWith("   0 |||||==  ").endsWith("   38%   25%   13%    0%    6%");
        assertThat(lines)
                .anyMatch(line ->
                        line.startsWith("eth1") && line.contains(" 8.00 Gbit/s") && line.contains(" 100 Gbit/s"));
        assertThat(lines).anyMatch(line -> line.startsWith("eth0 rx-4") && line.contains("4000"));
    }

    @Test
    void putsCoresSideBySideWhereThereIsRoom() {
        List<String> lines = draw(sample(24, 0, 0), 50, 112, false);
        assertThat(lines).hasSize(2 + 12);
        assertThat(lines.get(2)).startsWith("   0 ").contains("  12 ");
    }

    @Test
    void keepsTheBusiestWhereThereIsNoRoomForAll() {
        List<String> lines = draw(sample(128, 9, 64), 24, 80, false);
        assertThat(lines).hasSize(24);
        assertThat(lines.get(23))
                .as("what is not shown is mentioned")
                .isEqualTo("not shown: 117 of 128 cores, 6 of 9 NICs, 61 of 64 queues");
        assertThat(lines.get(2)).startsWith("   7 ");
        assertThat(lines).anyMatch(line -> line.startsWith("eth8")).noneMatch(line -> line.startsWith("eth0  "));
        assertThat(lines).anyMatch(line -> line.startsWith("eth0 rx-63"));
    }

    @Test
    void showsSessionsWithRateLanesAndVerdictTheRunningOnesFirst() {
        Sample host = sample(4, 1, 0);
        List<SessionState> sessions = new ArrayList<>();
        sessions.add(session("s1", 0, true));
        IntStream.rangeClosed(2, 20).forEach(number -> sessions.add(session("s" + number, number * 125e6, false)));
        Sample sample = new Sample(
                host.epochMs(),
                "server",
                host.view(),
                Sample.Devices.NONE,
                sessions,
                List.of(lane("s20", 0), lane("s20", 1), lane("s2", 0)),
                Map.of());

        List<String> tall = ScreenLines.of(sample, "q closes this view", null, 60, 100, false);
        assertThat(tall.get(0)).endsWith("q closes this view");
        assertThat(tall.get(2))
                .isEqualTo(
                        "s20 copy from dtn2           20.0 Gbit/s   25%     0:01     2  target-disk: the disk is slow");
        assertThat(tall.subList(2, 21)).noneMatch(line -> line.contains("ended"));
        assertThat(tall).filteredOn(line -> line.startsWith("s")).hasSize(21);

        List<String> small = draw(sample, 24, 80, false);
        assertThat(small).hasSize(24);
        assertThat(small.get(2)).startsWith("s20 copy from dtn2");
        assertThat(small.get(small.size() - 1)).isEqualTo("not shown: 7 of 20 sessions");
    }

    @Test
    void showsThePeerWithoutThePortThatIsNewInEverySession() {
        SessionState plain = session("s21", 0, false);
        Sample.SessionName name = plain.name();
        SessionState remote = new SessionState(
                new Sample.SessionName("s21", "copy", "in", "10.99.8.2:36956", name.key(), name.purpose()),
                plain.amounts(),
                plain.run(),
                plain.bottleneck(),
                0,
                null,
                null);
        Sample host = sample(2, 1, 0);
        Sample sample = new Sample(
                host.epochMs(), "server", host.view(), Sample.Devices.NONE, List.of(remote), List.of(), Map.of());
        assertThat(draw(sample, 24, 80, false).get(2)).startsWith("s21 copy from 10.99.8.2 ");
    }

    /** The common size of a terminal has no room for a sentence, but for the word that starts it. */
    @Test
    void cutsNoVerdictWithinAWord() {
        String sentence = "other programs use the cores of the sending host, which are the bottleneck";
        SessionState running = session("s1", 0, false, new Sample.Limit("sender-foreign-load", sentence), null);
        SessionState failed = session("s2", 0, true, null, "no space left on the target");
        Sample host = sample(2, 1, 0);
        Sample sample = new Sample(
                host.epochMs(),
                "server",
                host.view(),
                Sample.Devices.NONE,
                List.of(running, failed),
                List.of(),
                Map.of());
        List<String> small = draw(sample, 24, 80, false);
        assertThat(small.get(2)).startsWith("s1 copy from dtn2").endsWith("  sender-foreign-load");
        assertThat(small.get(3)).startsWith("s2 copy from dtn2").endsWith("  failed, exit code 5");
        for (int columns = 103; columns < 158; columns++) {
            String line = draw(sample, 24, columns, false).get(2);
            String shown = line.substring(line.indexOf(": ") + 2);
            assertThat(line.length()).isLessThanOrEqualTo(columns);
            assertThat(shown).endsWith(" …");
            assertThat(sentence).startsWith(shown.replace(" …", " "));
        }
        assertThat(draw(sample, 24, 160, false).get(2)).endsWith(": " + sentence);
    }

    private static SessionState session(
            String name, double rate, boolean ended, Sample.@Nullable Limit limit, @Nullable String reason) {
        SessionState plain = session(name, rate, ended);
        return new SessionState(
                plain.name(),
                plain.amounts(),
                reason == null ? plain.run() : new Sample.Run(1, 2, "failed", 5, reason),
                limit,
                0,
                null,
                null);
    }

    private static SessionState session(String name, double rate, boolean ended) {
        return new SessionState(
                new Sample.SessionName(name, "copy", "in", "dtn2", "alice", "push to /run7"),
                new Sample.Amounts(1, 4, 0, 1L << 30, 4L << 30, Moved.all(1L << 30), rate),
                new Sample.Run(1, ended ? 2 : -1, ended ? "ok" : null, ended ? 0 : -1, null),
                new Sample.Limit("target-disk", "the disk is slow"),
                0,
                "run7/events.dat",
                null);
    }

    private static LaneState lane(String session, int number) {
        return new LaneState(session, number, "in", 1, 1, new Sample.Connection(1, 0, 1), new Sample.Place(0, 0, null));
    }

    @Test
    void fitsEverySize() {
        for (Sample sample : List.of(sample(0, 0, 0), sample(2, 1, 0), sample(24, 5, 48), sample(200, 20, 400))) {
            for (int rows : new int[] {1, 2, 3, 6, 11, 24, 60}) {
                for (int columns : new int[] {1, 5, 20, 30, 35, 36, 53, 54, 80, 110, 111, 250}) {
                    List<String> lines = draw(sample, rows, columns, false);
                    assertThat(lines).as("%s rows", rows).hasSizeLessThanOrEqualTo(rows);
                    assertThat(lines).as("%s columns", columns).allMatch(line -> line.length() <= columns);
                    assertThat(draw(sample, rows, columns, true).stream()
                                    .map(line -> line.replaceAll("\u001b\\[[0-9]*m", ""))
                                    .toList())
                            .as("colours change nothing else")
                            .isEqualTo(lines);
                }
            }
        }
    }

    @Test
    void whatIsNotKnownIsADashAndNamesSteerNothing() {
        Sample odd = new Sample(
                0,
                "monitor",
                new HostView("h", List.of(), List.of(new HostView.Nic("e\u001b[2J", -1, null, -1, -1, -1, -1))),
                Sample.Devices.NONE,
                List.of(),
                List.of(),
                Map.of());
        List<String> lines = draw(odd, 24, 80, false);
        assertThat(lines).noneMatch(line -> line.contains("\u001b"));
        assertThat(lines.get(lines.size() - 1).split(" +")).endsWith("-", "-", "-", "-", "-");
    }

    @Test
    void aNoteStandsInsteadOfTheFirstLine() {
        Sample host = sample(4, 1, 0);
        List<String> lines = ScreenLines.of(host, "q quits", "no connection to " + "x".repeat(100), 24, 80, false);
        assertThat(lines.get(0)).hasSize(80).startsWith("no connection to xxx");
        assertThat(lines.subList(1, lines.size()))
                .isEqualTo(draw(host, 24, 80, false).subList(1, lines.size()));
    }

    private static List<String> draw(Sample sample, int rows, int columns, boolean colours) {
        return ScreenLines.of(sample, "q quits", null, rows, columns, colours);
    }
}
