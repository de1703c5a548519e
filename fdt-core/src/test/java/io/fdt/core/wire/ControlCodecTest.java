package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.TestPlan;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.stats.SessionActivity.LaneReason;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the codec of control messages reads of what it wrote, and of any bytes. */
final class ControlCodecTest {
    @ParameterizedTest
    @MethodSource("io.fdt.core.wire.ControlMessages#everyMessage")
    void decodesWhatItEncoded(ControlMessage message) {
        ControlMessage read = ControlCodec.decode(ControlCodec.encode(message), Failure.HERE);

        // Byte by byte, AssertJ takes a minute for the longest message.
        assertThat(read)
                .usingRecursiveComparison()
                .withEqualsForType(Arrays::equals, byte[].class)
                .isEqualTo(message);
    }

    @Test
    void decodesVerificationOfWholeFiles() {
        decodesWhatItEncoded(
                new VerifyMessage.OpenVerify(ControlMessages.ODD, FileHash.MD5, false, true, true, 1, 5000));
    }

    @Test
    void decodesARequestWithoutChecksums() {
        decodesWhatItEncoded(
                new TransferMessage.OpenTransfer(TestPlan.push("/s", "/t").at(1).request()));
    }

    @Test
    void doesNotShowAToken() {
        assertThat(new SessionMessage.Bearer("s3cret", "fdt").toString())
                .contains("fdt")
                .doesNotContain("s3cret");
    }

    @Test
    void refusesUnknownChecksums() throws IOException {
        byte[] bytes = ControlCodec.encode(new TransferMessage.OpenTransfer(
                ControlMessages.request(TransferPlan.from(List.of(ControlMessages.ODD)))));
        Map<String, Object> fields = new LinkedHashMap<>();
        ((Map<?, ?>) CborReader.read(bytes)).forEach((name, value) -> fields.put(String.valueOf(name), value));
        assertThat(fields).containsEntry("checksums", 5L);
        fields.put("checksums", 8);
        byte[] unknown = ControlMessages.cbor(fields);

        assertThatThrownBy(() -> ControlCodec.decode(unknown, "peer"))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("checksums");
    }

    /** A server that got it would remove its files. */
    @Test
    void requestToRemoveTheSourceIsNotSent() throws IOException {
        TransferPlan selection = TransferPlan.from(List.of(ControlMessages.ODD))
                .with(CopyValue.REMOVE_SOURCE, true)
                .with(CopyValue.COPY_LINKS, true);
        byte[] bytes = ControlCodec.encode(new TransferMessage.OpenTransfer(ControlMessages.request(selection)));
        TransferMessage.OpenTransfer read = (TransferMessage.OpenTransfer) ControlCodec.decode(bytes, "peer");

        assertThat(read.request()).isEqualTo(ControlMessages.request(selection).with(CopyValue.REMOVE_SOURCE, null));
        Map<?, ?> sent = (Map<?, ?>) Objects.requireNonNull(CborReader.read(bytes));
        assertThat(sent.get("remove_source")).isNull();
    }

    @Test
    void textsPathsAndContentsMayBeAsLongAsTheirBounds() {
        RawPath path = RawPath.ofText("p".repeat(Bounds.MAX_PATH_BYTES));
        decodesWhatItEncoded(
                new TransferMessage.OpenTransfer(ControlMessages.request(TransferPlan.from(List.of(path)))));
        decodesWhatItEncoded(new ThirdPartyMessage.Delegated(
                "k".repeat(Bounds.MAX_NAME_CHARS), ControlMessages.SECRET, ControlMessages.SECRET));
        decodesWhatItEncoded(ControlMessages.thirdParty("h".repeat(Bounds.MAX_HOST_CHARS), 1, new byte[32]));
        decodesWhatItEncoded(new ThirdPartyMessage.OpenJobs(10_000, JobsPlan.Action.LIST, "", false));
        decodesWhatItEncoded(new FileMessage.Data(3, new byte[Bounds.MAX_READ_BYTES], new byte[16]));
        decodesWhatItEncoded(new ThirdPartyMessage.ThirdPartyReceipt(
                new byte[Bounds.MAX_RECEIPT_PART_BYTES], Bounds.MAX_RECEIPT_BYTES));
    }

    @Test
    void ignoresUnknownFields() throws IOException {
        byte[] shape = ControlMessages.cbor(Map.of("t", 6, "single", true, "later", List.of(Map.of("a", "b"), 7)));
        assertThat(ControlCodec.decode(shape, "peer")).isEqualTo(new TransferMessage.SourceShape(true));
    }

    @Test
    void refusesAMessageWithoutARequiredField() throws IOException {
        byte[] opened = ControlMessages.cbor(Map.of(
                "t", 4, "session", ControlMessages.ID, "secret", ControlMessages.SECRET, "lanes", 1, "clear", false));
        assertThatThrownBy(() -> ControlCodec.decode(opened, "peer"))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("bad or missing rdma");
    }

    @Test
    void hasAnExampleOfEveryMessageHere() {
        Set<Class<?>> permitted = Stream.of(ControlMessage.class.getPermittedSubclasses())
                .flatMap(family -> Stream.of(family.getPermittedSubclasses()))
                .collect(Collectors.toSet());
        assertThat(ControlMessages.everyMessage().map(Object::getClass).toList())
                .containsAll(permitted)
                .hasSize(permitted.size());
    }

    /** The order is part of the wire format: a constant that moves is another version of the protocol. */
    @Test
    void pinsTheOrderOfEveryEnumThatTravels() {
        assertThat(Arrays.toString(FileEntry.Kind.values())).isEqualTo("[FILE, DIRECTORY, LINK, STREAM]");
        assertThat(Arrays.toString(Direction.values())).isEqualTo("[PUSH, PULL]");
        assertThat(Arrays.toString(TargetRules.Existing.values())).isEqualTo("[SKIP_SAME, OVERWRITE, SKIP, FAIL]");
        assertThat(Arrays.toString(TargetRules.Comparison.values())).isEqualTo("[TIME, DIGEST, SIZE]");
        assertThat(Arrays.toString(TargetRules.Durability.values())).isEqualTo("[END, CHUNK, NONE]");
        assertThat(Arrays.toString(TargetRules.DirectIo.values())).isEqualTo("[AUTO, ALWAYS, NEVER]");
        assertThat(Arrays.toString(TargetRules.Preserve.values()))
                .isEqualTo("[MODE, TIMES, LINKS, XATTRS, OWNER, ACLS, HARDLINKS]");
        assertThat(Arrays.toString(ThirdPartyMessage.FileEnd.values()))
                .isEqualTo("[COPIED, RESUMED, SKIPPED, FAILED, WOULD_COPY, WOULD_REPLACE, DELETED, WOULD_DELETE]");
        assertThat(Arrays.toString(FileOperation.Action.values()))
                .isEqualTo("[STAT, LIST, SUM, MAKE_DIRECTORY, MOVE, REMOVE, SPACE, READ]");
        assertThat(Arrays.toString(LaneReason.values())).isEqualTo("[WORK, NETWORK, FEWER, MORE, LOSS, UNDONE]");
        assertThat(Arrays.toString(TransferMessage.VerdictKind.values()))
                .isEqualTo("[MADE, SKIPPED, PART, FAILED, WOULD_COPY, COMPARE, WOULD_REPLACE]");
    }

    /**
     * Goal: no bytes make the decoder throw anything but a transfer exception. Method: valid messages with random bytes
     * changed, cut or appended, and pure noise, from a printed seed.
     */
    @Test
    void survivesAnyBytes() {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        List<byte[]> samples =
                ControlMessages.everyMessage().map(ControlCodec::encode).toList();
        int refused = 0;
        for (int i = 0; i < 60_000; i++) {
            byte[] bytes = samples.get(random.nextInt(samples.size())).clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            if (random.nextInt(4) == 0) {
                bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 8));
            }
            try {
                ControlCodec.decode(bytes, "peer");
            } catch (TransferException expected) {
                assertThat(expected.kind()).isEqualTo(FailureKind.VERSION);
                refused++;
            } catch (RuntimeException unexpected) {
                throw new AssertionError("seed " + seed + ", bytes " + Arrays.toString(bytes), unexpected);
            }
        }
        assertThat(refused).isGreaterThan(1000);
    }
}
