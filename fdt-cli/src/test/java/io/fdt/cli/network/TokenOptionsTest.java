package io.fdt.cli.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The options of tokens have one meaning in all commands that reach a server. */
final class TokenOptionsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "client fdt://h/a /nonexistent/",
                "ls fdt://h",
                "stat fdt://h/a",
                "cat fdt://h/a",
                "sum fdt://h/a",
                "mkdir fdt://h/a",
                "mv fdt://h/a fdt://h/b",
                "rm fdt://h/a",
                "df fdt://h",
                "clean fdt://h/a",
                "verify fdt://h/a fdt://h/b",
                "nettest h",
                "jobs fdt://h",
            })
    void everyCommandTakesAToken(String line) {
        CommandRun run = new CommandRun();
        String[] words = (line + " --token-file /t --ca /c").split(" ", -1);
        int exitCode = run.run(words);

        assertThat(run.engine.token).as(exitCode + run.err()).isEqualTo(Path.of("/t"));
        assertThat(run.engine.authorities).isEqualTo(Path.of("/c"));
    }
}
