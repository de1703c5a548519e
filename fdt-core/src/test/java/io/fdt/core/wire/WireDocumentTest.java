package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.service.Suites;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** docs/formats.md shows the bytes that are sent, and lists every control message with its code. */
final class WireDocumentTest {
    private static final Pattern MESSAGE = Pattern.compile("(?m)^\\| (\\d+) \\| `(\\w+)` \\|");
    private static final Pattern FIELD = Pattern.compile("(?m)^\\| (\\d+) \\| (\\d+) \\| ([^|]+) \\|$");
    private static final Pattern FIELDS = Pattern.compile("(?m)^\\| `(\\w+)` \\| (.*) \\|$");
    private static final Pattern REQUEST = Pattern.compile("(?m)^\\| a request \\| (.*) \\|$");
    private static final Pattern FIELD_NAME = Pattern.compile("`([a-z]\\w*)`\\??");
    private static final int LANE = 2;
    private static final int ATTEMPT = 1;

    private String document = "";

    @BeforeEach
    void readTheDocument() throws IOException {
        document = Files.readString(Path.of("..", "docs", "formats.md"));
    }

    private static Stream<Class<?>> messages(Class<?> type) {
        return type.isSealed()
                ? Arrays.stream(type.getPermittedSubclasses()).flatMap(WireDocumentTest::messages)
                : Stream.of(type);
    }

    @Test
    void listsEveryMessageWithItsCode() throws IOException {
        Map<Long, String> sent = new TreeMap<>();
        for (ControlMessage message : ControlMessages.everyMessage().toList()) {
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

    /** Also which of them may be missing: the rest of the message is decoded without one. */
    @Test
    void listsTheFieldsOfEveryMessage() throws IOException {
        Map<String, Map<String, Boolean>> listed = new HashMap<>();
        FIELDS.matcher(document).results().forEach(row -> listed.putIfAbsent(row.group(1), fields(row.group(2))));
        Map<String, Boolean> request = fields(
                REQUEST.matcher(document).results().findFirst().orElseThrow().group(1));
        for (ControlMessage message : examples().toList()) {
            String type = message.getClass().getSimpleName();
            Map<String, Boolean> fields = listed.getOrDefault(type, Map.of());
            if (message instanceof TransferMessage.OpenTransfer
                    || message instanceof ThirdPartyMessage.OpenDelegation
                    || message instanceof ThirdPartyMessage.OpenThirdParty) {
                fields.putAll(request);
            }
            Map<String, Object> sent =
                    new LinkedHashMap<>(Fields.map(CborReader.read(ControlCodec.encode(message)), "message"));
            sent.remove("t");
            assertThat(fields.keySet()).as(type).containsExactlyInAnyOrderElementsOf(sent.keySet());
            sent.keySet()
                    .forEach(name -> assertThat(isNeeded(message, name))
                            .as("%s of %s is needed", name, type)
                            .isEqualTo(fields.get(name)));
        }
    }

    @Test
    void listsTheValuesOfEveryNetworkTest() {
        Map<String, Set<String>> listed = new HashMap<>();
        FIELDS.matcher(document)
                .results()
                .forEach(row -> listed.put(row.group(1), fields(row.group(2)).keySet()));
        for (Suite suite : Suites.ALL) {
            Set<String> sent = suite.values().stream()
                    .filter(value -> value != NettestValue.OTHER_SERVERS)
                    .map(Object::toString)
                    .collect(Collectors.toSet());
            assertThat(listed.get(suite.name())).as(suite.name()).isEqualTo(sent);
        }
    }

    /** One of each type, with all its fields. */
    private static Stream<ControlMessage> examples() {
        TransferPlan request = ControlMessages.everyMessage()
                .filter(TransferMessage.OpenTransfer.class::isInstance)
                .map(message -> ((TransferMessage.OpenTransfer) message).request())
                .findFirst()
                .orElseThrow();
        return ControlMessages.everyMessage().map(message -> {
            if (message instanceof TransferMessage.Finished) {
                return new TransferMessage.Finished(1, 2, 3, 4, 5, "sha256:00", "idle", 0, true);
            } else if (message instanceof VerifyMessage.OpenVerify) {
                return new VerifyMessage.OpenVerify(RawPath.EMPTY, FileHash.MD5, true, true, false, 8, 5000);
            } else if (message instanceof FileMessage.Operate) {
                return new FileMessage.Operate(
                        1, new FileOperation(FileOperation.Action.SUM, List.of(RawPath.EMPTY), true, FileHash.MD5));
            } else if (message instanceof ThirdPartyMessage.OpenDelegation) {
                return new ThirdPartyMessage.OpenDelegation(request, 1);
            }
            return message instanceof ThirdPartyMessage.OpenThirdParty asked ? asked.withRequest(request) : message;
        });
    }

    private static Map<String, Boolean> fields(String listed) {
        Map<String, Boolean> fields = new HashMap<>();
        FIELD_NAME
                .matcher(listed)
                .results()
                .forEach(
                        name -> fields.putIfAbsent(name.group(1), !name.group(0).endsWith("?")));
        return fields;
    }

    private static boolean isNeeded(ControlMessage message, String name) {
        Map<String, Object> rest = new LinkedHashMap<>();
        try {
            Fields.map(CborReader.read(ControlCodec.encode(message)), "message").forEach((field, value) -> {
                if (!field.equals(name)) {
                    rest.put(field, Objects.requireNonNull(value));
                }
            });
            ControlCodec.decode(ControlMessages.cbor(rest), "peer");
            return false;
        } catch (TransferException missing) {
            return true;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void showsTheseMessages() {
        byte[] proof = new byte[32];
        Arrays.fill(proof, (byte) 0xBB);
        FileEntry file = new FileEntry(
                RawPath.ofText("a"),
                FileEntry.Kind.FILE,
                5,
                new EntryMetadata(0644, 7, 0, 0, 0, List.of()),
                false,
                null);
        TransferMessage.Verdict failed = new TransferMessage.Verdict(
                1, TransferMessage.VerdictKind.FAILED, List.of(), Failure.of(Cause.MISSING, ""));
        for (ControlMessage message : List.of(
                new SessionMessage.Authenticate("0011223344556677", proof, "py"),
                new SessionMessage.Bearer("a.b.c", "py"),
                new TransferMessage.ManifestPage(0, List.of(file)),
                new TransferMessage.Verdicts(0, 3, List.of(failed)),
                new TransferMessage.Acknowledged(new int[1], new long[1], new int[] {5}))) {
            assertThat(shown()).contains(HexFormat.of().formatHex(ControlCodec.encode(message)));
        }
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
