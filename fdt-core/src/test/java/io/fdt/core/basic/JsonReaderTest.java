package io.fdt.core.basic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JsonReaderTest {
    private static JsonObject read(String text) throws IOException {
        try (JsonReader reader = JsonReader.of(text)) {
            JsonObject object = reader.next();
            assertThat(reader.next()).isNull();
            return object == null ? new JsonObject() : object;
        }
    }

    @Test
    void readsWhatAnObjectWrites() throws IOException {
        JsonObject written = new JsonObject()
                .with("number", 7L)
                .with("part", 0.5)
                .with("flag", true)
                .with("unknown", null)
                .with("text", "a\"\u0000é")
                .with("deep", new JsonObject().with("list", List.of(1L, "x", new JsonObject().with("a", 1L))));
        assertThat(read(written.text()).text()).isEqualTo(written.text());
    }

    @Test
    void readsOneObjectAfterTheOther() throws IOException {
        try (JsonReader reader = JsonReader.of("{\"a\":1}\n\n{\"a\":\n2}")) {
            assertThat(List.of(reader.next().count("a"), reader.next().count("a")))
                    .containsExactly(1L, 2L);
            assertThat(reader.next()).isNull();
        }
    }

    @Test
    void numbersBeyondALongAreNotWhole() throws IOException {
        JsonObject object = read("{\"a\":9223372036854775807,\"b\":9223372036854775808,\"c\":1e999}");
        assertThat(object.values().get("a")).isEqualTo(Long.MAX_VALUE);
        assertThat(object.values().get("b")).isEqualTo(0x1p63);
        assertThat(object.amount("c")).isInfinite();
    }

    @Test
    void tellsTheFirstNameThatIsThereTwice() throws IOException {
        try (JsonReader reader = JsonReader.of("{\"a\":1,\"b\":null,\"b\":2,\"a\":3}")) {
            assertThat(reader.next().text()).isEqualTo("{\"a\":3,\"b\":2}");
            assertThat(reader.repeated()).isEqualTo("b");
        }
    }

    @Test
    void passesOnTheRowsOfALongList() throws IOException {
        int count = 300_000;
        List<String> seen = new ArrayList<>();
        String text = "{\"n\":5,\"rows\":[" + "{\"v\":[1,2,3,4,5,6,7,8]},".repeat(count) + "{}],\"m\":6}";
        try (JsonReader reader = JsonReader.of(text)) {
            JsonObject object = reader.next("rows", (before, row) -> {
                assertThat(before.count("n")).isEqualTo(5);
                seen.add(row.text());
            });
            assertThat(object.text()).isEqualTo("{\"n\":5,\"rows\":[],\"m\":6}");
        }
        assertThat(seen).hasSize(count + 1).endsWith("{}").startsWith("{\"v\":[1,2,3,4,5,6,7,8]}");
    }

    @Test
    void aListOfThatNameHasObjectsAndAnythingElseRemains() throws IOException {
        try (JsonReader reader = JsonReader.of("{\"rows\":7}{\"a\":{\"rows\":[1]}}{\"rows\":[1]}")) {
            assertThat(reader.next("rows", (before, row) -> {}).count("rows")).isEqualTo(7);
            assertThat(reader.next("rows", (before, row) -> {}).text()).isEqualTo("{\"a\":{\"rows\":[1]}}");
            assertThatThrownBy(() -> reader.next("rows", (before, row) -> {}))
                    .hasMessageStartingWith("its field rows lists something other than objects, in line 1");
        }
    }

    @Test
    void keepsOnlyTheMembersOfTheseNames() throws IOException {
        try (JsonReader reader = JsonReader.of("{\"a\":1,\"deep\":{\"a\":[{}]},\"b\":{\"c\":2}}{\"d\":1}")) {
            assertThat(reader.next(Set.of("a", "b")).text()).isEqualTo("{\"a\":1,\"b\":{\"c\":2}}");
            assertThat(reader.next(Set.of("a")).text()).isEqualTo("{}");
        }
        assertThatThrownBy(() -> JsonReader.of("{\"a\":[1}").next(Set.of("b")))
                .hasMessageStartingWith("not valid JSON");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[1] | not a JSON object, in line 1",
                "{\"a\":1 | not valid JSON, in line 1",
                "{\"a\":1}{ | not valid JSON, in line 1",
                "nonsense | not valid JSON, in line 1",
                "{\"a\":'x'} | not valid JSON, in line 1",
            })
    void saysWhatIsWrongInItsOwnWords(String text, String why) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(JsonReader.Malformed.class)
                .hasMessageStartingWith(why);
    }

    @Test
    void whatIsReadIsBounded() {
        assertThatThrownBy(() -> read("{\"a\":" + "[".repeat(100_000))).hasMessageStartingWith("deeper or longer");
        assertThatThrownBy(() -> read("{\"a\":\"" + "x".repeat(JsonReader.MAX_TEXT_CHARS + 1) + "\"}"))
                .hasMessageStartingWith("deeper or longer");
        assertThatThrownBy(() -> read("{\"a\":[" + "1,".repeat(2_000_001) + "1]}"))
                .hasMessageStartingWith("more than 2000000 values");
        String texts = "\"" + "x".repeat(1 << 19) + "\",";
        assertThatThrownBy(() -> read("{\"a\":[" + texts.repeat(128) + "0]}")).hasMessageStartingWith("longer than");
    }
}
