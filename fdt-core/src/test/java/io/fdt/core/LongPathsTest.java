package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.ListPlan;
import io.fdt.core.files.OperationObserver;
import io.fdt.core.files.OperationSummary;
import io.fdt.core.files.Operations;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.run.Running;
import io.fdt.core.transport.Await;
import io.fdt.core.verify.VerifyPlan;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.FileMessage.Operate;
import io.fdt.core.wire.NamesAhead;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import io.fdt.core.wire.TransferMessage.SourceNames;
import io.fdt.core.wire.VerifyMessage.OpenList;
import io.fdt.core.wire.VerifyMessage.OpenVerify;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A path that is too long fails alone, with its end, and other operations of the session go on. */
class LongPathsTest {
    private static final OperationObserver UNSEEN = new OperationObserver() {
        @Override
        public void onEntry(ListObserver.Entry entry, byte[] digest, @Nullable String doubt) {}

        @Override
        public void onFailed(RawPath path, Failure why) {}
    };

    @TempDir
    Path directory;

    private static FileOperation of(Action action, String path) {
        return new FileOperation(action, List.of(RawPath.ofText(path)), false, FileHash.SHA256);
    }

    private static String path(int lengthBytes) {
        return "/" + "a/".repeat((lengthBytes - 4) / 2) + "a".repeat(1 + lengthBytes % 2) + "end".substring(1);
    }

    @Test
    void sumsOfTheSameSessionGoOn() throws Exception {
        Path root = Files.createDirectory(directory.resolve("root"));
        Files.write(root.resolve("big"), new byte[8 << 20]);
        Path home = directory.resolve("home");
        try (TestServer server = new TestServer(home, root);
                Operations operations = Fdt.at(home).operations("127.0.0.1", server.port(), Await.LIMIT_MS)) {
            List<Running<OperationSummary>> sums = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                sums.add(operations.start(of(Action.SUM, "/big"), UNSEEN));
            }
            for (Action action : List.of(Action.STAT, Action.SUM)) {
                OperationSummary longest =
                        operations.start(of(action, path(4095)), UNSEEN).await();
                assertThat(longest.kind()).as("%s", longest).isEqualTo(FailureKind.SOURCE);
                for (int lengthBytes : new int[] {4096, 70_000}) {
                    TransferException refused =
                            catchThrowableOfType(TransferException.class, () -> of(action, path(lengthBytes)));
                    assertThat(refused.failure().cause()).isEqualTo(Cause.PATH_TOO_LONG);
                    assertThat(refused.failure().path()).endsWith("nd");
                }
            }
            for (Running<OperationSummary> sum : sums) {
                assertThat(sum.await().failure()).isNull();
            }
        }
    }

    /** Nothing of a request with such a path leaves this host. */
    @ParameterizedTest
    @ValueSource(ints = {4096, 70_000})
    void noRequestIsMadeWithAPathThatIsTooLong(int lengthBytes) {
        String path = path(lengthBytes);
        Path here = directory.resolve("here");
        List<ThrowingCallable> makers = List.of(
                () -> of(Action.STAT, path),
                () -> new ListPlan("host", 1, RawPath.ofText(path), false, false, 1_000),
                () -> VerifyPlan.Side.at("host", 1, path),
                () -> TestPlan.push(here, path).at(1),
                () -> TestPlan.push("/a", path).at(1),
                () -> TestPlan.pull(path, here).at(1),
                () -> new PathRule(false, RawPath.ofText(path)),
                () -> NamesAhead.pages(List.of(RawPath.ofText("a"), RawPath.ofText(path))));
        for (ThrowingCallable maker : makers) {
            TransferException refused = catchThrowableOfType(TransferException.class, maker);
            assertThat(refused).isNotNull();
            assertThat(refused.failure().cause()).isEqualTo(Cause.PATH_TOO_LONG);
            assertThat(refused.failure().path()).endsWith("nd");
        }
        assertThatCode(() -> TestPlan.push(here, path(4095)).at(1)).doesNotThrowAnyException();
    }

    /** A client of another make may send it, and learns why it cannot be. */
    @ParameterizedTest
    @MethodSource("requests")
    void aRequestWithAPathThatIsTooLongIsRefusedForItsPath(ControlMessage request) {
        for (int lengthBytes : new int[] {4096, 60_000}) {
            TransferException refused = catchThrowableOfType(
                    TransferException.class, () -> ControlCodec.decode(lengthened(request, lengthBytes), "peer"));
            assertThat(refused.failure().cause()).isEqualTo(Cause.PATH_TOO_LONG);
            assertThat(refused.failure().path()).endsWith("nd");
        }
    }

    static List<ControlMessage> requests() {
        RawPath longest = RawPath.ofText(path(4095));
        PathRule rule = new PathRule(false, longest);
        return List.of(
                new OpenVerify(longest, FileHash.MD5, false, false, false, 1, 1_000),
                new OpenList(longest, false, false, 1_000, null),
                new OpenTransfer(TestPlan.push("/a", path(4095)).at(1).request().forServer()),
                new OpenTransfer(
                        TestPlan.pull(path(4095), Path.of("/a")).at(1).request().forServer()),
                new OpenTransfer(TestPlan.pull("/a", Path.of("/b"))
                        .at(1)
                        .request()
                        .forServer()
                        .with(CopyValue.SOURCES, List.of(RawPath.ROOT))
                        .with(CopyValue.RULES, List.of(rule))),
                new SourceNames(List.of(longest)));
    }

    /** Returns the message with a longer path in the place of its path of 4,095 bytes. */
    private static byte[] lengthened(ControlMessage message, int lengthBytes) {
        byte[] sound = ControlCodec.encode(message);
        int at = 0;
        while (sound[at] != 0x59 || sound[at + 1] != 0x0F || sound[at + 2] != (byte) 0xFF) {
            at++;
        }
        ByteArrayOutputStream longer = new ByteArrayOutputStream();
        longer.write(sound, 0, at);
        longer.write(0x59);
        longer.write(lengthBytes >> 8);
        longer.write(lengthBytes);
        longer.writeBytes("a".repeat(lengthBytes - 4095).getBytes(StandardCharsets.US_ASCII));
        longer.write(sound, at + 3, sound.length - at - 3);
        return longer.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {4096, 60_000})
    void theServerKnowsWhichOperationItCannotAccept(int lengthBytes) {
        byte[] longer = lengthened(new Operate(7, of(Action.STAT, path(4095))), lengthBytes);
        Operate arrived = (Operate) ControlCodec.decode(longer, "peer");
        assertThat(arrived.id()).isEqualTo(7);
        assertThat(arrived.operation()).isNull();
        assertThat(arrived.refusal()).isNotNull().extracting(Failure::cause).isEqualTo(Cause.PATH_TOO_LONG);
    }
}
