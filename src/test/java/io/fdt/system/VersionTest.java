package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandHere;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The packaged jar starts, whatever the command. Most other tests run commands in their own process. */
final class VersionTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void printsNameAndVersion() {
        Outcome outcome = at.process("--version").expectExit(0);
        assertThat(outcome.out()).singleElement().asString().matches("fdt \\d+\\.\\d+\\.\\d+\\S*");
    }

    static List<String> commands() {
        return CommandHere.names();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandStarts(String command) {
        Outcome usage = at.process(Stream.concat(Stream.of(command.split(" ")), Stream.of("--no-such-option"))
                .toArray());
        assertThat(usage.expectExit(2).err()).singleElement().asString().contains("--no-such-option");
    }
}
