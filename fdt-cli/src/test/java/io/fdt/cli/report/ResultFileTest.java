package io.fdt.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResultFileTest {
    @TempDir
    private Path directory;

    @Test
    void takesTheLastResultOfManyObjects() throws IOException {
        JsonObject result = ResultFile.read(file("""
                {"type":"start"}
                {"type":"result","suite":"sweep","version":1,"n":1}
                {"type":"progress","n":9}

                {"type":"result","suite":"rpc","version":1,"n":2,"deep":{"list":[1,null,"x",{"a":true}]}}
                {"type":"warning"}
                """));
        assertThat(result.text("suite")).isEqualTo("rpc");
        assertThat(result.amount("n")).isEqualTo(2);
        assertThat(result.part("deep").amounts("list")).containsExactly(1.0, Double.NaN, Double.NaN, Double.NaN);
        assertThat(result.part("deep").rows("list").get(0).text("a")).isEqualTo("true");
    }

    @Test
    void takesOneObjectOverManyLines() throws IOException {
        assertThat(ResultFile.read(file("{\n \"type\": \"result\",\n \"suite\": \"load\"\n}"))
                        .text("suite"))
                .isEqualTo("load");
    }

    @Test
    void valuesOfAnotherTypeCountAsAbsent() throws IOException {
        JsonObject result = ResultFile.read(
                file("{\"type\":\"result\",\"points\":7,\"seconds\":\"ten\",\"local\":[1],\"cores\":1e999}"));
        assertThat(result.rows("points")).isEmpty();
        assertThat(result.amount("seconds")).isNaN();
        assertThat(result.part("local").values()).isEmpty();
        assertThat(result.amount("cores")).isNaN();
        JsonObject beyond = ResultFile.parse("{\"type\":\"result\",\"a\":1e19,\"b\":1e-13,\"c\":1e18}", "it");
        assertThat(beyond.amount("a")).isNaN();
        assertThat(beyond.amount("b")).isZero();
        assertThat(beyond.amount("c")).isEqualTo(1e18);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | contains no result",
                "{\"type\":\"progress\"} | contains no result",
                "{\"type\":\"result\" | not valid JSON, in line 1",
                "[1] | not a JSON object, in line 1",
                "iperf3: error | not valid JSON, in line 1",
                "{\"type\":\"result\",\"version\":2} | contains a result of version 2; this release reads version 1",
            })
    void refusesWhatIsNoResultAndSaysWhy(String content, String why) throws IOException {
        Path file = file(content);
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> ResultFile.read(file))
                .withMessageContaining(why)
                .withMessageContaining("result.json")
                .satisfies(refused -> assertThat(refused.kind()).isEqualTo(FailureKind.SOURCE));
    }

    @Test
    void refusesNestingWithoutBound() throws IOException {
        Path file = file("{\"type\":\"result\",\"x\":" + "[".repeat(100_000));
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> ResultFile.read(file))
                .withMessageContaining("deeper or longer than it may be");
    }

    @Test
    void refusesMoreValuesThanAnyTestMeasures() throws IOException {
        Path file = file("{\"type\":\"result\",\"x\":[" + "1,".repeat(2_000_001) + "1]}");
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> ResultFile.read(file))
                .withMessageContaining("more than 2000000 values");
    }

    @Test
    void saysThatAFileIsNotThereOrADirectory() {
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> ResultFile.read(directory.resolve("gone.json")))
                .withMessageContaining("there is no file")
                .satisfies(refused -> assertThat(refused.kind()).isEqualTo(FailureKind.SOURCE));
        assertThatExceptionOfType(TransferException.class)
                .isThrownBy(() -> ResultFile.read(directory))
                .withMessageContaining("is a directory");
    }

    private Path file(String content) throws IOException {
        return Files.writeString(directory.resolve("result.json"), content);
    }
}
