package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The live page in Chromium with samples from the test: it shows the samples, and copes with a failing server.
 * {@code MonitorTest} covers the page during a real transfer.
 */
@Tag("dashboards")
final class MonitorPageTest {
    private static final long START_MS = 1_790_000_000_000L;
    private static final long BYTES_PER_SECOND = 4_500_000_000L;

    /** An expression for texts of cards, tiles and titles that overflow their box, except those with an ellipsis. */
    private static final String SPILLED =
            "[...document.querySelectorAll('.session *, .tiles *, h2')].filter(e => e.scrollWidth > e.clientWidth + 1"
                    + " && e.clientWidth > 0 && getComputedStyle(e).display !== 'inline'"
                    + " && !e.classList.contains('file')).map(e => e.textContent).join()";

    @RegisterExtension
    final Workplace work = new Workplace();

    private final Scene scene = new Scene(START_MS, 4, BYTES_PER_SECOND);

    @Test
    void showsEveryCoreLaneSessionAndTheOtherEndWithTheNumbersOfTheSample() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);

        assertThat(browser.number("document.querySelector('#cores-here canvas').dataset.rows * 1"))
                .isEqualTo(Scene.CORES);
        assertThat(browser.number("document.querySelectorAll('#cores-here tbody tr').length"))
                .isEqualTo(Scene.CORES);
        assertThat(
                        browser.evaluate(
                                "[...document.querySelectorAll('#cores-here tbody tr')[11].cells].map(c => c.textContent).join(' ')"))
                .isEqualTo("11 0 1 % 2 % 95 % 0 % 0 % 98 %");
        assertThat(browser.evaluate("document.querySelector('#cores-there figcaption').textContent"))
                .isEqualTo("Remote end: there.example.org");
        assertThat(browser.evaluate("document.querySelectorAll('#cores-there tbody tr')[13].cells[4].textContent"))
                .isEqualTo("95 %");
        assertThat(figure(browser, "done")).isEqualTo((double) scene.movedBytes());
        assertThat(figure(browser, "rate")).isEqualTo((double) BYTES_PER_SECOND);
        assertThat(browser.evaluate("document.querySelector('.session .verdict').textContent"))
                .isEqualTo("The target's disk holds it back.");
        assertThat(browser.evaluate("document.querySelector('.session .lanes').textContent"))
                .isEqualTo("12 lanes: the network limits 8 lanes to 940 Mbit/s.");
        assertThat(browser.evaluate("document.querySelector('.session h3').textContent"))
                .as("a peer's name is text, whatever it holds")
                .isEqualTo("s1 · copy to <b>there</b>.example.org");
        assertThat(browser.evaluate(
                        "[...document.querySelector('#lanes tbody').rows[0].cells].map(c => c.textContent).join('|')"))
                .as("what is absent is a dash and no zero")
                .isEqualTo("s1 · 0|out|9.00 Gbit/s|–|0|–|0|11|eth0 rx-0|" + "1.05 GiB");
        assertThat(browser.evaluate("document.querySelector('#tiles .warn').innerText"))
                .asString()
                .contains("98 %", "core 11 is full");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void paintsTheCoreThatServesTheNetworkUnlikeTheOneThatRunsTheProgram() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);

        for (String scheme : List.of("light", "dark")) {
            browser.look(1400, 1000, scheme);
            browser.until("matchMedia('(prefers-color-scheme: " + scheme + ")').matches");
            browser.until("(([r, g, b]) => r > g && g > b)(" + newestCellOf(11) + ")");
            browser.until("(([r, g, b]) => b > g && g > r)(" + newestCellOf(3) + ")");
            // An idle core has no dominant colour: its channels are close together.
            browser.until("(([r, g, b]) => Math.max(r, g, b) - Math.min(r, g, b) < 40)(" + newestCellOf(20) + ")");
        }
    }

    /** Someone who opens the page after a copy wants to know what its remote end did. */
    @Test
    void theCoresOfARemoteEndAreStillShownAfterItsLastReport() {
        PageServer server = work.closing(PageServer.start(0));
        for (int second = 0; second < 30; second++) {
            server.remember(scene.next());
        }
        scene.silencePeer();
        for (int second = 0; second < 30; second++) {
            server.remember(scene.next());
        }
        Browser browser = live(server);
        browser.evaluate("document.querySelector('#window [value=\"60\"]').click()");

        browser.until("document.querySelector('#cores-there canvas').dataset.rows * 1 === " + Scene.CORES);
        // In the first third of the time shown, the core that serves the network there.
        browser.until("(([r, g, b]) => r > g && g > b)((() => {"
                + " const c = document.querySelector('#cores-there canvas');"
                + " return [...c.getContext('2d').getImageData(Math.floor(c.width / 4), " + rowMiddle(13)
                + ", 1, 1).data.slice(0, 3)]; })())");
        assertThat(browser.evaluate("document.querySelector('#cores-there canvas').getAttribute('aria-label')"))
                .asString()
                .startsWith("Remote end: 24 cores by time, which it reports no more.");
        assertThat(browser.number("document.querySelectorAll('#cores-there tbody tr').length"))
                .isZero();
    }

    /** The rule label-content-name-mismatch of axe-core: a user of voice control says what is visible. */
    @Test
    void theNameOfAButtonBeginsWithItsText() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        scene.sessions(2);
        server.send(scene.next());
        scene.sessions(1);
        server.send(scene.next());
        browser.until("document.querySelectorAll('#ended tbody tr').length === 1");
        assertThat(browser.evaluate("[...document.querySelectorAll('button[aria-label]')]"
                        + ".filter(b => !b.getAttribute('aria-label').startsWith(b.textContent))"
                        + ".map(b => b.outerHTML).join()"))
                .isEqualTo("");
    }

    /** The rules landmark-unique and scrollable-region-focusable of axe-core, at the width of a phone. */
    @Test
    void everyRegionHasItsOwnNameAndKeysCanScrollIt() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        browser.look(390, 844, "light");
        browser.until("innerWidth === 390 && document.querySelectorAll('#lanes tbody tr').length === 4");
        assertThat(browser.evaluate("""
                        (() => {
                          const name = (e) => e.getAttribute('aria-label')
                              ?? document.getElementById(e.getAttribute('aria-labelledby'))?.textContent;
                          const names = [...document.querySelectorAll('section, [role=region]')].map(name);
                          return names.filter((one, at) => !one || names.indexOf(one) !== at).join();
                        })()""")).isEqualTo("");
        assertThat(browser.evaluate("""
                        [...document.querySelectorAll('body *')]
                            .filter((e) => getComputedStyle(e).overflowX === 'auto' && e.tabIndex < 0)
                            .map((e) => e.outerHTML.slice(0, 100)).join()""")).isEqualTo("");
    }

    @Test
    void aLaneThatIsCutDisappearsAndTheOthersStay() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        browser.until("document.querySelectorAll('#lanes tbody tr').length === 4");
        browser.evaluate("window.first = document.querySelector('#lanes tbody tr'); 0");

        scene.cutLane();
        server.send(scene.next());

        browser.until("document.querySelectorAll('#lanes tbody tr').length === 3");
        assertThat(browser.evaluate(
                        "[...document.querySelectorAll('#lanes tbody tr')].some(r => r.dataset.key === 's1/out/0003')"))
                .isEqualTo(false);
        assertThat(browser.evaluate("window.first === document.querySelector('#lanes tbody tr')"))
                .as("rows that stay are the same elements, so that a reader keeps his place")
                .isEqualTo(true);
    }

    @Test
    void saysThatTheServerIsGoneAndGoesOnWhenAnotherOneTakesItsPlace() {
        PageServer first = work.closing(PageServer.start(0));
        Browser browser = live(first);
        first.close();
        browser.until("document.getElementById('status').dataset.state === 'lost'");
        assertThat(browser.evaluate("document.getElementById('status').textContent"))
                .asString()
                .startsWith("Connection lost at ");

        PageServer second = work.closing(PageServer.start(first.port()));
        Scene after = new Scene(START_MS + 60_000, 2, 1_000_000_000L);
        Await.until("the page is back", Workplace.LIMIT, () -> second.readers() == 1);
        second.send(after.next());

        browser.until("document.getElementById('status').dataset.state === 'live'");
        assertThat(browser.evaluate("document.getElementById('status').textContent"))
                .asString()
                .startsWith("Live again since ")
                .endsWith("the server was restarted");
        browser.until("document.querySelectorAll('#lanes tbody tr').length === 2");
        assertThat(browser.number("document.querySelectorAll('.session').length"))
                .isEqualTo(1);
        assertThat(browser.number("document.querySelectorAll('#ended tbody tr').length"))
                .as("the session of before is kept as ended, though the new one has its id")
                .isEqualTo(1);
    }

    /** As when a copy is repeated after its server was killed: what it resumes counts from the beginning. */
    @Test
    void aSessionThatWasAwayIsAnotherOneAlsoIfItHasMoreBytes() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        Map<String, Object> without = scene.next();
        without.put("sessions", List.of());
        server.send(without);
        server.send(scene.next());

        browser.until(figureIs("done", scene.movedBytes()));
        assertThat(browser.number("document.querySelectorAll('#ended tbody tr').length"))
                .isEqualTo(1);
    }

    @Test
    void staysUsableWithTwentySessionsOfWhichHalfHaveEnded() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        scene.sessions(20);
        server.send(scene.next());
        browser.until("document.querySelectorAll('.session').length === 20");
        server.send(scene.next());
        scene.sessions(10);
        server.send(scene.next());

        browser.until("document.querySelectorAll('#ended tbody tr').length === 10");
        assertThat(browser.evaluate("[...document.querySelectorAll('.session')].map(s => s.dataset.session).join()"))
                .isEqualTo("s1,s2,s3,s4,s5,s6,s7,s8,s9,s10");
        assertThat(browser.evaluate("document.querySelector('.session .file').textContent"))
                .as("a path is text, whatever it holds")
                .asString()
                .startsWith("run1/<i>events-");
        for (int width : List.of(390, 1280, 1600)) {
            browser.look(width, 900, "light");
            browser.until("innerWidth === " + width);
            browser.until("document.scrollingElement.scrollWidth <= " + width);
            assertThat(browser.evaluate(SPILLED)).as("at %s pixels", width).isEqualTo("");
            assertThat(browser.evaluate("!!(document.getElementById('sessions').compareDocumentPosition("
                            + "document.getElementById('ended')) & Node.DOCUMENT_POSITION_FOLLOWING)"))
                    .isEqualTo(true);
            if (width > 390) {
                assertThat(browser.number("document.querySelector('#cores-here canvas').getBoundingClientRect().top"))
                        .as("the cores are on the first screen, %s pixels wide", width)
                        .isLessThan(800);
            }
        }
        assertThat(
                        browser.evaluate(
                                "[...document.querySelector('#ended tbody').rows[0].cells].map(c => c.textContent).filter((t, i) => i === 1 || (i > 2 && i < 6)).join('|')"))
                .as("outcome, duration from the session's start to its end, mean rate in that time, and bytes")
                .isEqualTo("ok|1:02|2.32 Gbit/s|16.8 GiB");
        assertThat(browser.evaluate("document.querySelector('#ended tbody').rows[1].cells[1].textContent"))
                .isEqualTo("failed, exit code 5: " + Scene.REASON);
        assertThat(browser.evaluate("document.querySelector('#ended tbody').rows[0].cells[7].textContent"))
                .isEqualTo("push to /<b>in</b>");
        assertThat(browser.evaluate("document.querySelector('#ended tbody').rows[0].cells[2].textContent"))
                .as("the verdict of the whole session")
                .isEqualTo("The target disk was the bottleneck.");
        assertThat(browser.evaluate("document.querySelector('#session-rates .note').textContent"))
                .isEqualTo("Only the 8 of 20 with the highest peak are drawn.");
        assertThat(browser.complaints()).isEmpty();
    }

    /** Samples have sessions for a while after their end. */
    @Test
    @SuppressWarnings("unchecked") // a session is an object
    void endedSessionsBeginWithTheLastThatEnded() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        scene.sessions(4);
        server.send(scene.next());
        scene.sessions(0);
        Map<String, Object> ended = scene.next();
        long now = (Long) ended.get("t");
        List<Integer> secondsAgo = List.of(1, 30, 0, 2);
        ((List<?>) ended.get("sessions")).forEach(one -> {
            Map<String, Object> session = (Map<String, Object>) one;
            int number = Integer.parseInt(((String) session.get("session")).substring(1));
            session.put("end", now - 1000L * secondsAgo.get(number - 1));
        });
        server.send(ended);
        browser.until("document.querySelectorAll('#ended tbody tr').length === 4");
        String names = "[...document.querySelectorAll('#ended tbody th')].map(c => c.textContent.split(' ')[0]).join()";
        assertThat(browser.evaluate(names)).isEqualTo("s3,s1,s4,s2");
        browser.evaluate("document.querySelector('#ended thead button').click()");
        assertThat(browser.evaluate(names)).isEqualTo("s2,s4,s1,s3");
    }

    @Test
    void outcomeAndVerdictOfAnEndedSessionAreReadableWithoutScrolling() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        scene.sessions(3);
        server.send(scene.next());
        scene.sessions(1);
        server.send(scene.next());
        browser.until("document.querySelectorAll('#ended tbody tr').length === 2");
        for (int width : List.of(390, 1280)) {
            browser.look(width, 900, "light");
            browser.until("innerWidth === " + width);
            assertThat(browser.evaluate("""
                            [...document.querySelectorAll('#ended tbody tr')].flatMap((row) =>
                                [...row.cells].slice(0, 3).filter((cell) => {
                                  const box = cell.getBoundingClientRect();
                                  return box.right > innerWidth || box.left < 0 || box.height > 150
                                      || cell.scrollWidth > cell.clientWidth + 1;
                                })).map((cell) => cell.textContent).join()""")).as("at %s pixels", width).isEqualTo("");
        }
    }

    /** A receiver would have only dashes there. */
    @Test
    @SuppressWarnings("unchecked") // a lane is an object
    void columnsThatOnlyASenderCanFillAreShownOfSenders() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        String columns = "[...document.querySelectorAll('#lanes th, #lanes tbody tr:first-child > *')]"
                + ".filter(c => c.offsetParent !== null).length";
        assertThat(browser.number(columns)).isEqualTo(2 * 10 + 3);
        Map<String, Object> receiving = scene.next();
        ((List<?>) receiving.get("lanes")).forEach(lane -> ((Map<String, Object>) lane).put("direction", "in"));
        server.send(receiving);
        browser.until(columns + " === " + (2 * 7 + 3));
        server.send(scene.next());
        browser.until(columns + " === " + (2 * 10 + 3));
    }

    @Test
    void saysThatItLoadsUntilItsHistoryIsThere() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = Browser.start(work);
        browser.open(server.url());
        Await.until("the page listens", Workplace.LIMIT, () -> server.readers() == 1);
        String empty = "document.getElementById('sessions-empty').textContent";
        assertThat(browser.evaluate(empty)).isEqualTo("Loading the last 15 minutes.");
        Map<String, Object> without = scene.next();
        without.put("sessions", List.of());
        server.send(without);
        browser.until(empty + " === 'No session is running.'");
    }

    @Test
    void aLineHasTheSameColourAfterThePageIsLoadedAgain() {
        PageServer server = work.closing(PageServer.start(0));
        scene.sessions(2);
        Map<String, Object> second = scene.next();
        second.put("sessions", List.of(((List<?>) second.get("sessions")).get(1)));
        Browser browser = Browser.start(work);
        browser.open(server.url());
        Await.until("the page listens", Workplace.LIMIT, () -> server.readers() == 1);
        server.send(second);
        String colours = "[...document.querySelectorAll('#session-rates tbody tr')]"
                + ".map(r => r.textContent.slice(0, 2) + r.querySelector('.swatch').className).join()";
        browser.until(colours + ".includes('s2')");
        server.send(scene.next());
        browser.until(colours + ".includes('s1')");
        Object before = browser.evaluate(colours);
        browser.evaluate("window.old = true");
        browser.open(server.url());
        // The server does not notice that the first connection has ended before it writes to it.
        Await.until("the page again", Workplace.LIMIT, () -> {
            server.send(scene.next());
            return browser.evaluate("!window.old && " + colours + ".includes('s1')")
                    .equals(true);
        });
        assertThat(browser.evaluate(colours)).isEqualTo(before);
    }

    @Test
    @SuppressWarnings("unchecked") // a session is an object
    void aSessionWhosePeerIsGoneLooksLikeAnAlert() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        String colour = "getComputedStyle(document.querySelector('.session .verdict')).color";
        Object before = browser.evaluate(colour);
        Map<String, Object> gone = scene.next();
        ((Map<String, Object>) ((List<?>) gone.get("sessions")).get(0)).put("limit", "peer-gone");
        server.send(gone);
        browser.until(colour + " !== '" + before + "'");
    }

    @Test
    void savesAReportInWhichThePeersNameIsText() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        server.send(scene.next());
        server.send(scene.next());
        browser.until(figureIs("done", scene.movedBytes()));
        browser.evaluate(
                "URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text; }); return '#'; };"
                        + "document.querySelector('.session > button').click(); 0");
        browser.until("window.saved !== undefined");

        assertThat(browser.evaluate("window.saved"))
                .asString()
                .contains(
                        "&lt;b&gt;there&lt;/b&gt;.example.org",
                        "<th>Peak rate</th><td>36.0 Gbit/s</td>",
                        "<path d=\"M",
                        ">40.0 Gbit/s</text>")
                .doesNotContain("<script", "<b>there", "var(");
    }

    @Test
    void showsHistoryFromBeforeItWasOpened() {
        PageServer server = work.closing(PageServer.start(0));
        for (int second = 0; second < 899; second++) {
            server.remember(scene.next());
        }
        Browser browser = live(server);
        browser.evaluate("document.querySelector('#window [value=\"900\"]').click()");

        // The oldest column is painted only if the oldest sample was received.
        browser.until("(() => { const c = document.querySelector('#cores-here canvas'); const d = c.getContext('2d')"
                + ".getImageData(34, " + rowMiddle(3) + ", 1, 1).data; return d[2] > d[0] + 40; })()");
    }

    @Test
    void loadsOnlyFromItsServerUnderItsContentPolicy() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        server.send(scene.next());
        browser.until(figureIs("done", scene.movedBytes()));

        assertThat(browser.requests())
                .contains(server.url(), server.url() + "api/live", server.url() + "api/history")
                .allMatch(url -> url.startsWith(server.url()) || url.equals("about:blank"));
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void pauseStopsDrawingWithoutLosingSamples() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        long before = scene.movedBytes();
        browser.evaluate("document.getElementById('pause').focus(); 0");
        browser.press("Enter");
        browser.until("document.getElementById('pause').getAttribute('aria-pressed') === 'true'");

        server.send(scene.next());
        // Changing the colour scheme redraws the page, which would show a pending update.
        browser.look(1400, 1000, "dark");
        browser.until("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
        assertThat(figure(browser, "done")).isEqualTo((double) before);

        browser.press("Enter");
        browser.until(figureIs("done", scene.movedBytes()));
    }

    @Test
    void keyboardReadsOutTheHeatmap() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        browser.evaluate("document.querySelector('#cores-here canvas').focus(); 0");
        browser.press("End");
        for (int row = 0; row < 11; row++) {
            browser.press("ArrowDown");
        }

        browser.until("document.getElementById('cores-here-readout').textContent.startsWith('Core 11,')");
        assertThat(browser.evaluate("document.getElementById('cores-here-readout').textContent"))
                .asString()
                .endsWith("user 1 %, system 2 %, softirq and irq 95 %, I/O wait 0 %, steal 0 %");
        assertThat(browser.evaluate("[...document.querySelectorAll('[role=status]')].map(e => e.id).join()"))
                .isEqualTo("status");
    }

    @Test
    void fitsAPhone() {
        PageServer server = work.closing(PageServer.start(0));
        Browser browser = live(server);
        browser.look(390, 844, "light");

        browser.until("innerWidth === 390");
        browser.until("document.scrollingElement.scrollWidth <= 390");
        browser.until("document.querySelector('#cores-here canvas').clientWidth <= 390");
    }

    /** Opens a page that has shown one sample. */
    private Browser live(PageServer server) {
        Browser browser = Browser.start(work);
        browser.look(1400, 1000, "light");
        browser.open(server.url());
        Await.until("the page listens", Workplace.LIMIT, () -> server.readers() == 1);
        server.send(scene.next());
        browser.until("document.getElementById('status').dataset.state === 'live'");
        browser.until("document.querySelectorAll('#lanes tbody tr').length > 0");
        return browser;
    }

    private static double figure(Browser browser, String name) {
        return browser.number("document.querySelector('.session [data-figure=" + name + "]').value * 1");
    }

    private static String figureIs(String name, long value) {
        return "document.querySelector('.session [data-figure=" + name + "]').value === '" + value + "'";
    }

    /** Returns the colour, as an array, of the last second of a core. The map ends 132 pixels before the canvas. */
    private static String newestCellOf(int core) {
        return "(() => { const c = document.querySelector('#cores-here canvas'); return [...c.getContext('2d').getImageData("
                + "c.width - 133, " + rowMiddle(core) + ", 1, 1).data.slice(0, 3)]; })()";
    }

    /** Rows are 16 pixels high, and each node has a header of 16 pixels. */
    private static int rowMiddle(int core) {
        return 16 * core + (core < Scene.CORES / 2 ? 16 : 32) + 7;
    }
}
