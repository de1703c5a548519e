package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the codec writes and reads, compared with another implementation and with the examples of RFC 8949. */
final class CborTest {
    private static final CBORFactory OTHER = new CBORFactory();

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    static LongStream numbers() {
        return LongStream.concat(
                LongStream.of(0, 23, 24, 0xff, 0x100, 0xffff, 0x10000, 0xffff_ffffL, 0x1_0000_0000L, Long.MAX_VALUE)
                        .flatMap(number -> LongStream.of(number, -1 - number)),
                LongStream.of(Long.MIN_VALUE));
    }

    private interface Writing {
        void to(JsonGenerator json) throws IOException;
    }

    private static byte[] byTheOther(Writing writing) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = OTHER.createGenerator(out)) {
            writing.to(json);
        }
        return out.toByteArray();
    }

    private static @Nullable Object read(String hex) throws IOException {
        return CborReader.read(HexFormat.of().parseHex(hex));
    }

    /** Each message has several names, so what a name costs beside its text is paid many times. */
    @Test
    void aNameTakesLittleMoreThanItsText() throws IOException {
        byte[] name = HexFormat.of().parseHex("61" + HexFormat.of().formatHex("a".getBytes(StandardCharsets.UTF_8)));
        long leastBytes = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            assertEquals("a", CborReader.read(name));
            leastBytes = Math.min(leastBytes, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        // The reader and its buffer, the bytes and the text.
        assertThat(leastBytes).isLessThanOrEqualTo(200);
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void numbersAreWrittenShort(long number) throws IOException {
        CborWriter writer = new CborWriter();
        writer.number(number);
        assertThat(writer.written()).isEqualTo(byTheOther(json -> json.writeNumber(number)));
        assertThat(CborReader.read(writer.written())).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 23, 24, 255, 256, 5000, 70_000})
    void readsTextAndBytesOfOtherEncoders(int length) throws IOException {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 0xe4);
        String text = "\u00e4\u20ac\ud83d\ude00x".repeat(length).substring(0, length);
        String whole = Character.isHighSurrogate(text.isEmpty() ? 'x' : text.charAt(length - 1))
                ? text.substring(0, length - 1)
                : text;
        CborWriter writer = new CborWriter();
        writer.startArray();
        writer.text(whole);
        writer.bytes(bytes);
        writer.end();
        for (byte[] message : List.of(writer.written(), byTheOther(json -> {
            json.writeStartArray();
            // In pieces if it is long.
            json.writeString(whole);
            json.writeBinary(bytes);
            json.writeEndArray();
        }))) {
            List<?> list = (List<?>) CborReader.read(message);
            assertThat(list.get(0)).isEqualTo(whole);
            assertThat(list.get(1)).isEqualTo(bytes);
            assertThat(list).hasSize(2);
        }
        try (JsonParser parser = OTHER.createParser(writer.written())) {
            parser.nextToken();
            assertThat(parser.nextToken()).isEqualTo(JsonToken.VALUE_STRING);
            assertThat(parser.getText()).isEqualTo(whole);
            parser.nextToken();
            assertThat(parser.getBinaryValue()).isEqualTo(bytes);
            assertThat(parser.nextToken()).isEqualTo(JsonToken.END_ARRAY);
        }
    }

    @Test
    void structuresAreReadWithAndWithoutACount() throws IOException {
        CborWriter writer = new CborWriter();
        writer.startMap();
        writer.name("a");
        writer.numbers(new int[] {1, -300});
        writer.name("b");
        writer.startMap();
        writer.name("c");
        writer.none();
        writer.name("d");
        writer.flag(true);
        writer.end();
        writer.end();
        Map<?, ?> map = (Map<?, ?>) CborReader.read(writer.written());
        assertThat(map.get("a")).isEqualTo(List.of(1L, -300L));
        assertThat(((Map<?, ?>) map.get("b")).get("d")).isEqualTo(true);
        assertThat(((Map<?, ?>) map.get("b")).containsKey("c")).isTrue();
        // The same, with definite lengths.
        assertThat(read("a2" + "6161" + "82" + "01" + "39012b" + "6162" + "a2" + "6163f6" + "6164f5"))
                .isEqualTo(map);
    }

    @ParameterizedTest
    @CsvSource({
        "1b000000e8d4a51000, 1000000000000",
        "3903e7, -1000",
        "190000, 0",
        "1800, 0",
    })
    void numbersNeedNotBeShort(String hex, long number) throws IOException {
        assertThat(read(hex)).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Too short.
                "",
                "18",
                "1900",
                "1a000000",
                "1b00000000000000",
                "61",
                "4201",
                "81",
                "a1",
                "a16161",
                "9f",
                "bf",
                "5f",
                "7f6161",
                "bf6161ff",
                // Lengths beyond the input.
                "5bffffffffffffffff",
                "5b7fffffffffffffff",
                "7affffffff61",
                "9bffffffffffffffff",
                "bb7fffffffffffffff01",
                // Numbers beyond 63 bits, and heads that are not numbers.
                "1bffffffffffffffff",
                "3bffffffffffffffff",
                "1c",
                "1d",
                "1e",
                "1f",
                "3f",
                // Tags, floating point, undefined, and other simple values.
                "c001",
                "f90000",
                "fa00000000",
                "fb0000000000000000",
                "f7",
                "f0",
                "f820",
                "ff",
                "81ff",
                // Keys that are not text, pieces of another type or without an end, text that is not UTF-8.
                "a10101",
                "bf0101ff",
                "5f6161ff",
                "7f4161ff",
                "5f5f4101ffff",
                "61ff",
                "62c328",
                // A name twice: what chooses by the first value must not be answered with the last.
                "a2" + "616101" + "616102",
                "a2" + "6161f6" + "616102",
                "bf" + "616101" + "616201" + "616101" + "ff",
                // Bytes after the end.
                "0101",
                "a000",
                // Nested too deeply.
                "818181818181818181" + "01",
                "9f9f9f9f9f9f9f9f9f01"
            })
    void refusesValuesThatDoNotFit(String hex) {
        assertThatThrownBy(() -> read(hex)).isInstanceOf(IOException.class);
    }

    @Test
    void theNumberOfValuesIsBounded() {
        byte[] many = new byte[Bounds.MAX_MESSAGE_BYTES];
        many[0] = (byte) 0x9f;
        many[many.length - 1] = (byte) 0xff;
        assertThatThrownBy(() -> CborReader.read(many))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("values");
        assertThatThrownBy(() -> CborReader.read(new byte[Bounds.MAX_MESSAGE_BYTES + 1]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("bytes");
    }
}
