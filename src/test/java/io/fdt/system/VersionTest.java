package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The packaged jar starts, whatever the command. Most other tests run commands in their own process. */
final class VersionTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void printsNameAndVersion() {
        Outcome outcome = at.process("--version").expectExit(0);
        assertThat(outcome.out()).singleElement().asString().matches("fdt \\d+\\.\\d+\\.\\d+\\S*");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server",
                "client",
                "nettest",
                "monitor",
                "verify",
                "ls",
                "clean",
                "shard status",
                "tune",
                "key list",
                "completion"
            })
    void everyCommandStarts(String command) {
        Outcome usage = at.process(Stream.concat(Stream.of(command.split(" ")), Stream.of("--no-such-option"))
                .toArray());
        assertThat(usage.expectExit(2).err()).singleElement().asString().contains("--no-such-option");
    }
}
