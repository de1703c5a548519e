package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** docs/wire-format.md shows the bytes that are sent, and lists every control message with its code. */
final class WireDocumentTest {
    private static final Pattern MESSAGE = Pattern.compile("(?m)^\\| (\\d+) \\| `(\\w+)` \\|");
    private static final Pattern FIELD = Pattern.compile("(?m)^\\| (\\d+) \\| (\\d+) \\| ([^|]+) \\|$");
    private static final int LANE = 2;
    private static final int ATTEMPT = 1;

    private String document = "";

    @BeforeEach
    void readTheDocument() throws IOException {
        document = Files.readString(Path.of("..", "docs", "wire-format.md"));
    }

    private static Stream<Class<?>> messages(Class<?> type) {
        return type.isSealed()
                ? Arrays.stream(type.getPermittedSubclasses()).flatMap(WireDocumentTest::messages)
                : Stream.of(type);
    }

    @Test
    void listsEveryMessageWithItsCode() throws IOException {
        Map<Long, String> sent = new TreeMap<>();
        for (ControlMessage message : ControlCodecTest.everyMessage().toList()) {
            Map<String, ?> fields = Fields.map(CborReader.read(ControlCodec.encode(message)), "message");
            sent.put((Long) fields.get("t"), message.getClass().getSimpleName());
        }
        Map<Long, String> listed = new TreeMap<>();
        MESSAGE.matcher(document).results().forEach(row -> listed.put(Long.valueOf(row.group(1)), row.group(2)));

        assertThat(listed).isEqualTo(sent);
        assertThat(sent.values())
                .containsExactlyInAnyOrderElementsOf(
                        messages(ControlMessage.class).map(Class::getSimpleName).toList());
    }

    @Test
    void showsTheHelloOfALane() {
        byte[] sessionId = new byte[LaneHello.SESSION_ID_BYTES];
        Arrays.fill(sessionId, (byte) 0xAA);
        byte[] proof = new byte[LaneHello.PROOF_BYTES];
        Arrays.fill(proof, (byte) 0xBB);
        ByteBuffer bytes = ByteBuffer.allocate(LaneHello.LENGTH_BYTES);
        new LaneHello(sessionId, LANE, ATTEMPT, proof).write(bytes);

        assertThat(shown()).contains(HexFormat.of().formatHex(bytes.array()));
        assertCovers("## Lanes", LaneHello.LENGTH_BYTES);
    }

    @Test
    void showsTheHeadOfAFrame() {
        ChunkHeader header = new ChunkHeader();
        int length = 300_000;
        header.set(0x1122334455667788L, 7, 1, 8 << 20, length, ChunkHeader.fullMap(length));
        ByteBuffer bytes = ByteBuffer.allocate(ChunkHeader.LENGTH_BYTES);
        header.write(bytes);

        assertThat(shown()).contains(HexFormat.of().formatHex(bytes.array()));
        assertCovers("## A chunk frame", ChunkHeader.LENGTH_BYTES);
        for (DigestKind kind : DigestKind.values()) {
            assertThat(new ChunkTrailer(kind).lengthBytes()).isEqualTo(4 + kind.lengthBytes() + 4);
        }
    }

    /** Returns the contents of all fenced blocks, without white space. */
    private String shown() {
        Matcher block = Pattern.compile("(?ms)^```$(.*?)^```$").matcher(document);
        return block.results()
                .map(found -> found.group(1).replaceAll("\\s", ""))
                .collect(Collectors.joining(" "));
    }

    private void assertCovers(String title, int lengthBytes) {
        int start = document.indexOf(title);
        int end = document.indexOf("\n## ", start + 1);
        int at = 0;
        for (MatchResult row :
                FIELD.matcher(document.substring(start, end)).results().toList()) {
            assertThat(Integer.parseInt(row.group(1))).as(row.group(3)).isEqualTo(at);
            at += Integer.parseInt(row.group(2));
        }
        assertThat(at).isEqualTo(lengthBytes);
    }
}
