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

    /** Returns the answer to the first of two requests. */
    private static Map<String, Object> answer(String request) {
        CommandRun run = new CommandRun();
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
                .containsEntry("message", "standard input and output are those of the batch; write the path of a file");
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'op':'copy','from':'a','to':'b','options':null",
                "'op':'copy','from':'a','to':'b','files':null",
                "'op':'copy','from':['a',1],'to':'b'",
                "'op':'stat','path':{'a':[1,{'b':[[[{}]]]}]}",
                "'op':'stat','path':['a',{'b':['c']},['d']]",
                "'op':'sum','path':'a','type':1.5",
                "'op':'list','path':'a','recursive':99999999999999999999",
                "'op':null,'path':'a'",
                "'op':'cancel','request':[]",
                "'op':'stat','op':'stat','path':'a'",
            })
    void wrongValuesAreRefusedWithTheId(String fields) {
        assertThat(answer("{'id':7," + fields + "}")).containsEntry("id", 7L);
        assertThat(answer("{" + fields + ",'id':'x'}")).containsEntry("id", "x");
    }

    @Test
    void aWrongIdIsNone() {
        assertThat(answer("{'id':{'a':1},'op':'stat','path':'a'}"))
                .containsEntry("message", "the field \"id\" is missing, or no string or whole number");
    }

    @Test
    void aLineThatIsTooLongIsSkipped() {
        String message = "a line is longer than 1048576 characters";
        assertThat(answer("{'id':7,'op':'stat','path':'" + "x".repeat(1 << 20) + "'}"))
                .containsEntry("message", message);
        assertThat(answer(" ".repeat(1 << 20) + "{'id':7,'op':'stat','path':'x'}"))
                .containsEntry("message", message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'op':'stat','path':'a\\u0000b'",
                "'op':'remove','paths':['x','a\\u0000b']",
                "'op':'move','from':'a\\u0000b','to':'b'",
                "'op':'copy','from':'a\\u0000b','to':'b'",
                "'op':'copy','from':['a\\u0000b'],'to':'fdt://h/b'",
                "'op':'copy','from':'a','to':'b\\u0000'",
                "'op':'copy','from':'a','to':'b','options':['--exclude','\\u0000']",
                "'op':'verify','args':['a\\u0000b','b']",
            })
    void aTextWithNulIsRefused(String fields) {
        assertThat(answer("{'id':7," + fields + "}"))
                .containsEntry("id", 7L)
                .extractingByKey("message")
                .asString()
                .contains("NUL");
    }
}
