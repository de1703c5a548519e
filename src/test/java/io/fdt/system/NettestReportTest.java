package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The packaged jar contains all that reports need: published figures and the formats. */
final class NettestReportTest {
    private static final String RESULT = """
            {"type":"progress","seconds":1.0}
            {"type":"result","suite":"sweep","version":1,"transport":"tcp","local":{"host":"a.example"},\
            "remote":{"host":"b.example"},"options":{},"points":[\
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
        for (String ending : new String[] {"html", "svg"}) {
            assertThat(Files.readString(at.path("report." + ending)))
                    .contains(">made-up blocking, tcp</text>", ">vmi ia32/myrinet/vmi</text>", "b.example");
        }
    }

    @Test
    void namesPublishedFiguresAndRefusesWhatIsNoResult() throws IOException {
        assertThat(at.fdt("nettest", "report", "--list").expectExit(0).out())
                .anyMatch(line -> line.startsWith("fdt-40ge: "))
                .anyMatch(line -> line.startsWith("buffer-pools: "));
        Path broken = Files.writeString(at.path("broken.json"), "{\"type\":\"result\"");
        Outcome refused = at.fdt("nettest", "report", broken.toString(), "--report", "r.html")
                .expectExit(4);
        assertThat(refused.errText()).contains("broken.json', line 1: not valid JSON");
    }
}
