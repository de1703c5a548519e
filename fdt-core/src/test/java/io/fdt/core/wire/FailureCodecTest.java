package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A failure crosses from one end to the other with what it says, and where it was. */
final class FailureCodecTest {
    /** A client is not known to itself by the address from which its server sees it. */
    @Test
    void aFailureOfTheReceiversHostIsHereForIt() {
        Failure why = Failure.of(Cause.NO_SPACE, "full").from("192.0.2.1:7");
        byte[] back = ControlCodec.encode(new SessionMessage.Failed(why), "192.0.2.1:7");
        assertThat(((SessionMessage.Failed) ControlCodec.decode(back, "fdt://a:1"))
                        .why()
                        .place())
                .isEqualTo(Failure.HERE);
        byte[] onward = ControlCodec.encode(new SessionMessage.Failed(why), "192.0.2.2:7");
        assertThat(((SessionMessage.Failed) ControlCodec.decode(onward, "fdt://a:1"))
                        .why()
                        .place())
                .isEqualTo("192.0.2.1:7");
        byte[] own = ControlCodec.encode(
                new VerifyMessage.VerifyPage(List.of(CheckedEntry.unreadable(
                        ControlMessages.ODD, Failure.of(Cause.UNREADABLE, "no").exception()))),
                "192.0.2.1:7");
        Failure read = ((VerifyMessage.VerifyPage) ControlCodec.decode(own, "fdt://a:1"))
                .entries()
                .get(0)
                .failure();
        assertThat(read).isNotNull().extracting(Failure::place).isEqualTo("fdt://a:1");
    }

    private static final List<Object> FULL = List.of("no-space", 5, "full", "", "/x", "ENOSPC", "");

    private static Failure failed(Object... fields) throws IOException {
        byte[] bytes = ControlMessages.cbor(Map.of("t", 5, "why", Arrays.asList(fields)));
        return ((SessionMessage.Failed) ControlCodec.decode(bytes, "fdt://dtn2:27321")).why();
    }

    @Test
    void aFailureCrossesWithAllItsFields() throws Exception {
        Failure sent = new Failure(Cause.NO_SPACE, Failure.HERE, "/run7/x", "no space left", "ENOSPC", "free some");

        ControlMessage arrived =
                ControlCodec.decode(ControlCodec.encode(new SessionMessage.Failed(sent)), "fdt://dtn2:27321");

        assertThat(((SessionMessage.Failed) arrived).why()).isEqualTo(sent.from("fdt://dtn2:27321"));
        assertThat(((SessionMessage.Failed) arrived).why().text()).isEqualTo("fdt://dtn2:27321/run7/x: no space left");
    }

    /** The sender is one end of a copy between two servers, and the failure is of the other one. */
    @Test
    void aFailureKeepsThePlaceThatItHas() throws Exception {
        assertThat(failed("busy", 11, "busy", "fdt://dtn3:27321", "/x", null, null)
                        .place())
                .isEqualTo("fdt://dtn3:27321");
    }

    @Test
    void aWordOfANewerReleaseHasTheMeaningOfItsExitCode() throws Exception {
        assertThat(failed("new-word", 5, "full", "", null, null, null).cause()).isEqualTo(Cause.TARGET);
        assertThat(failed("no-space", 7, "no", "", null, null, null).cause()).isEqualTo(Cause.REFUSED);
        assertThat(failed("new-word", 99, "new", "", null, null, null).cause()).isEqualTo(Cause.UNKNOWN);
        assertThat(failed("new-word", 1, "new", "", null, null, null).cause()).isEqualTo(Cause.UNKNOWN);
    }

    static Stream<Arguments> failuresOutOfBounds() {
        return Stream.of(
                Arguments.of(1, 0),
                Arguments.of(1, 256),
                Arguments.of(0, 7),
                Arguments.of(2, 7),
                Arguments.of(2, "x".repeat(Failure.MAX_DETAIL_CHARS + 1)),
                Arguments.of(3, "x".repeat(Failure.MAX_PLACE_CHARS + 1)),
                Arguments.of(4, "x".repeat(Failure.MAX_PATH_CHARS + 1)),
                Arguments.of(5, "x".repeat(Failure.MAX_ERRNO_CHARS + 1)),
                Arguments.of(6, "x".repeat(Failure.MAX_REMEDY_CHARS + 1)));
    }

    /** The peer breaks the protocol, and this fdt has no bug. */
    @ParameterizedTest
    @MethodSource("failuresOutOfBounds")
    void aFailureOutOfBoundsIsAMistakeOfThePeer(int field, Object wrong) throws Exception {
        Object[] fields = FULL.toArray();
        failed(fields);
        fields[field] = wrong;

        assertThatThrownBy(() -> failed(fields))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        broken -> assertThat(broken.is(Cause.MALFORMED)).isTrue())
                .hasMessageContaining("malformed control message from fdt://dtn2:27321");
    }
}
