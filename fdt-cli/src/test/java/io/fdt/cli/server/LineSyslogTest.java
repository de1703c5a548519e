package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines of a log as datagrams, received by a real socket. */
class LineSyslogTest {
    @TempDir
    Path directory;

    @Test
    void sendsALineAsOneMessage() throws IOException {
        String name = directory.resolve("log").toString();
        String line = "{\"path\":\"" + "p".repeat(8_000) + "\"}";
        try (ServiceNoticeTest.Manager reader = new ServiceNoticeTest.Manager(name)) {
            new LineSyslog(RawPath.ofText(name)).write((line + "\n").getBytes(StandardCharsets.UTF_8));

            assertThat(reader.next())
                    .matches("<30>[A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d fdt-transfers\\[\\d+\\]: .*")
                    .endsWith("]: " + line);
        }
    }

    @Test
    void aLineThatNobodyReadsIsLostWithAReason() throws IOException {
        String name = directory.resolve("log").toString();
        LineSyslog log = new LineSyslog(RawPath.ofText(name));
        byte[] line = "{}\n".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> log.write(line))
                .isInstanceOf(IOException.class)
                .hasMessage("nothing reads it");
        try (ServiceNoticeTest.Manager reader = new ServiceNoticeTest.Manager(name)) {
            log.write(line);

            assertThat(reader.next()).endsWith("]: {}");
        }
    }
}
