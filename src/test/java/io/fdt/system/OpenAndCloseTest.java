package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URISyntaxException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a program that uses the library for long keeps of jobs that have ended. */
final class OpenAndCloseTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void noThreadIsLeftOfWhatWasClosed() throws URISyntaxException {
        Path classes = Path.of(OpenAndClose.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Shell.Result ended = Shell.run(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + at.directory("tmp"),
                "-cp",
                Workplace.jar() + ":" + classes,
                OpenAndClose.class.getName(),
                at.directory("rounds"));
        assertThat(ended.exitCode()).as("%s%s", ended.out(), ended.err()).isZero();
    }
}
