package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The packaged jar contains all that reports need: published figures and the formats. */
final class NettestReportTest {
    private static final String RESULT = """
            {"type":"progress","seconds":1.0}
            {"type":"result","suite":"sweep","version":1,"transport":"tcp","local":{"host":"a.example"},\
            "remote":{"host":"b.example"},"options":{"streams":4,"block_bytes":131072},"points":[\
            {"mode":"blocking","protocol":"tcp","size_bytes":1,"messages":1024,"seconds":1,"bytes_per_second":1e6},\
            {"mode":"blocking","protocol":"tcp","size_bytes":1024,"messages":1024,"seconds":1,"bytes_per_second":1e9}]}
            """;

    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void laysAResultOverPublishedFiguresInEveryFormat() throws IOException {
        Path result = Files.writeString(at.path("made-up.json"), RESULT);
        for (String ending : new String[] {"html", "svg"}) {
            Path report = at.path("report." + ending);
            at.fdt("nettest", "report", result.toString(), "--compare", "vmi/ia32", "--report", report.toString())
                    .expectExit(0);
            assertThat(report).isNotEmptyFile();
        }
        assertThat(Files.readString(at.path("report.svg")))
                .contains(">made-up blocking, tcp</text>", ">vmi ia32/myrinet/vmi</text>", "b.example");
        assertThat(Files.readString(at.path("report.html"))).contains("made-up blocking, tcp", "b.example");
    }

    @Test
    @Tag("dashboards")
    void thePageIsReadableOnAPhoneAndOnPaperAndSavesItsChartsAsTheyAreShown() throws IOException {
        Path result = Files.writeString(at.path("made-up.json"), RESULT);
        Path report = at.path("report.html");
        at.fdt("nettest", "report", result.toString(), "--compare", "vmi/ia32", "--report", report.toString())
                .expectExit(0);
        Browser browser = Browser.start(at);
        browser.look(390, 844, "light");
        browser.open(report.toUri().toString());
        browser.until("document.querySelectorAll('figure svg').length > 0");

        assertThat(browser.evaluate("document.querySelector('h2').textContent"))
                .isEqualTo("Sweep between a.example and b.example");
        assertThat(browser.evaluate("document.querySelector('.verdict').textContent"))
                .isEqualTo("The highest rate is 1000 MB/s, at 1 KiB.");
        assertThat(browser.evaluate("[...document.querySelectorAll('.origin dl')][0].textContent"))
                .asString()
                .contains("--lanes 4", "--block 128KiB", "Local enda.example", "Remote endb.example");
        assertThat(browser.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(390);
        browser.until("document.querySelector('figure svg').getAttribute('width') < 390");
        // A dot for each point, and two in the legend.
        assertThat(browser.number("document.querySelectorAll('figure svg circle[cx]').length"))
                .isEqualTo(browser.number(
                        "[...document.querySelectorAll('figure tbody td')].filter(c => c.textContent).length"
                                + " + 2 * (document.querySelectorAll('figure thead th').length - 1)"));

        browser.look(1200, 900, "dark");
        browser.until("document.querySelector('figure svg').getAttribute('width') > 800");
        browser.evaluate(
                "URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text; }); return '#'; };"
                        + "document.querySelector('figure > button').click(); 0");
        browser.until("window.saved !== undefined");
        assertThat(browser.evaluate("window.saved"))
                .asString()
                .startsWith("<svg xmlns=\"http://www.w3.org/2000/svg\"")
                .contains(">made-up blocking, tcp</text>", "stroke=\"rgb(111, 177, 242)\"")
                .doesNotContain("var(", "style=");
        String second = "document.querySelector('figure tbody').rows[0].cells[1].textContent";
        assertThat(browser.evaluate(second)).isEqualTo("1");
        browser.evaluate("document.querySelectorAll('figure thead button')[1].click(); 0");
        assertThat(browser.evaluate(second)).isEqualTo("1000");

        browser.evaluate("window.saved = undefined; document.querySelector('.origin > button').click(); 0");
        browser.until("window.saved !== undefined");
        Path again = Files.writeString(at.path("again.json"), (String) browser.evaluate("window.saved"));
        at.fdt("nettest", "report", result.toString(), "--compare", again, "--report", at.path("again.html"))
                .expectExit(0);
        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.requests())
                .allMatch(
                        url -> url.equals(report.toUri().toString()) || url.endsWith("#") || url.equals("about:blank"));
    }

    @Test
    void namesPublishedFiguresAndRefusesWhatIsNoResult() throws IOException {
        assertThat(at.fdt("nettest", "report", "--list").expectExit(0).out())
                .anyMatch(line -> line.startsWith("fdt-40ge: "))
                .anyMatch(line -> line.startsWith("buffer-pools: "));
        Path broken = Files.writeString(at.path("broken.json"), "{\"type\":\"result\"");
        Outcome refused = at.fdt("nettest", "report", broken.toString(), "--report", "r.html")
                .expectExit(4);
        assertThat(refused.errText()).contains("broken.json': not valid JSON, in line 1");
    }
}
