package io.fdt.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that make no sense are answered, with their id where it is known, and the batch goes on. */
final class BatchRefusalTest {
    private static final String NEXT = "{'id':'next','op':'cancel','request':'none'}";

    private final CommandRun run = new CommandRun();

    /** Returns the answer to the first of two requests. */
    private Map<String, Object> answer(String request) {
        run.standardInput((request + "\n" + NEXT + "\n").replace('\'', '"'));
        assertThat(run.run("batch")).isEqualTo(2);
        assertThat(run.json()).hasSize(2);
        assertThat(run.json().get(1)).containsEntry("id", "next");
        assertThat(run.json().get(0)).containsEntry("type", "error").containsEntry("exit_code", 2L);
        return run.json().get(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--files-from", "--pairs", "--include-from", "--exclude-from"})
    void copyReadsNoListFromTheRequests(String option) {
        assertThat(answer("{'id':7,'op':'copy','from':'a','to':'fdt://h/b','options':['" + option + "','-']}"))
                .containsEntry("id", 7L)
                .containsEntry(
                        "message", "standard input and output are those of the batch; write the path of a file");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--record=x", "--push=otlp://h:4317", "--tui", "--log-level=debug", "--log-json"})
    void copyTakesNoOptionThatTheBatchWouldIgnore(String option) {
        assertThat(answer("{'id':7,'op':'copy','from':'a','to':'fdt://h/b','options':['" + option + "']}"))
                .containsEntry("id", 7L)
                .containsEntry(
                        "message",
                        option.replaceFirst("=.*", "") + " does not apply to one copy of a batch; leave it out");
    }
}
