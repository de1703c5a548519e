package io.fdt.core.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.TestServer;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.FileMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.VerifyMessage;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that ask for much work, may be silent for longer than any test takes, and are gone: nothing of them is left.
 */
class LeavingClientTest {
    private static final int LONG_MS = 600_000;
    /** Longer to hash than any test takes, because every byte of it is zero and hashed. */
    private static final long ENDLESS_BYTES = 1L << 42;

    private static final Pattern WORKERS =
            Pattern.compile("fdt-(operation-\\d+|hash-\\d+|walk|verify-send|session-[0-9a-f]+)");

    @TempDir
    Path directory;

    private Path root;
    private TestServer server;
    private HostileClient client;

    @BeforeEach
    void start() throws IOException {
        Path home = directory.resolve("home");
        root = Files.createDirectories(directory.resolve("root"));
        GreedyAttacks.makeDeepTree(root.resolve("deep"));
        try (RandomAccessFile endless =
                new RandomAccessFile(root.resolve("endless").toFile(), "rw")) {
            endless.setLength(ENDLESS_BYTES);
        }
        server = new TestServer(home, root);
        IssuedKey key = new KeyStore(home).create("leaving", Permission.READ_WRITE, null);
        client = new HostileClient(server.address(), ServerAccess.of(Identity.loadOrCreate(home), key));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private List<String> left() {
        List<String> found = new ArrayList<>();
        Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> WORKERS.matcher(name).matches())
                .forEach(found::add);
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            descriptors.forEach(each -> {
                try {
                    Path open = Files.readSymbolicLink(each);
                    if (open.startsWith(root.toRealPath())) {
                        found.add(open.toString());
                    }
                } catch (IOException gone) {
                    // Closed meanwhile.
                }
            });
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return found;
    }

    private RawLink open(ControlMessage request) throws InterruptedException {
        RawLink link = client.authenticated();
        link.send(request);
        HostileClient.required(link.next(SessionMessage.Opened.class));
        return link;
    }

    private static FileMessage.Operate operation(int id, Action action, String path, HashKind hash) {
        return new FileMessage.Operate(
                id, new FileOperation(action, Collections.nCopies(1, RawPath.ofText(path)), true, hash));
    }

    private void assertNothingIsLeft(List<RawLink> links) {
        Await.until("the server works for them", () -> !left().isEmpty() && server.opened.size() == links.size());
        links.forEach(link -> link.abort(Cause.CONNECTION_LOST.failure("gone")));
        Await.until(() -> "nothing is left, but: " + left(), () -> left().isEmpty());
        assertThat(server.ended)
                .hasSize(links.size())
                .allSatisfy(each -> assertThat(each.kind()).isEqualTo(FailureKind.CONNECTION_LOST));
    }

    @Test
    void operationsEndWithTheirLink() throws Exception {
        List<RawLink> links = new ArrayList<>();
        for (int session = 0; session < 8; session++) {
            RawLink link = open(new FileMessage.OpenFiles(LONG_MS, null));
            for (int id = 1; id <= Bounds.MAX_OPERATIONS; id++) {
                link.send(
                        id % 2 == 0
                                ? operation(id, Action.LIST, "/deep", DigestKind.NONE)
                                : operation(id, Action.SUM, "/endless", FileHash.MD5));
            }
            HostileClient.required(link.next(FileMessage.Found.class));
            links.add(link);
        }
        assertNothingIsLeft(links);
    }

    @Test
    void listingsEndWithTheirLink() throws Exception {
        List<RawLink> links = new ArrayList<>();
        for (int session = 0; session < 8; session++) {
            links.add(open(new VerifyMessage.OpenList(RawPath.ofText("/"), true, false, LONG_MS, null)));
        }
        assertNothingIsLeft(links);
    }

    @Test
    void verificationsEndWithTheirLink() throws Exception {
        List<RawLink> links = new ArrayList<>();
        for (int session = 0; session < 4; session++) {
            links.add(open(
                    new VerifyMessage.OpenVerify(RawPath.ofText("/"), FileHash.MD5, false, false, false, 2, LONG_MS)));
        }
        assertNothingIsLeft(links);
    }

    /** It has all that it asked for: it ends no later than others that go after it, one after the other. */
    @Test
    void aClientThatGoesWithoutAWordAtTheEndIsNotWaitedFor() throws Exception {
        HostileClient.Opened first =
                client.open(new VerifyMessage.OpenList(RawPath.ofText("/"), false, false, LONG_MS, null));
        HostileClient.required(first.link().next(VerifyMessage.VerifyEnd.class));
        first.link().abort(Cause.CONNECTION_LOST.failure("gone"));
        for (int i = 0; i < 3; i++) {
            HostileClient.Opened later = client.open(new FileMessage.OpenFiles(LONG_MS, null));
            later.link().abort(Cause.CONNECTION_LOST.failure("gone"));
            Await.until("a later one has ended", () -> hasEnded(later));
        }
        assertThat(hasEnded(first)).isTrue();
    }

    private boolean hasEnded(HostileClient.Opened session) {
        String name = HexFormat.of().formatHex(session.session().sessionId(), 0, 8);
        return server.ended.stream().anyMatch(each -> each.run().session().equals(name));
    }

    @Test
    void aClientThatReturnsAtOnceGoesOn() throws Exception {
        RawLink link = client.authenticated();
        link.send(new FileMessage.OpenFiles(LONG_MS, null));
        SessionMessage.Opened opened = HostileClient.required(link.next(SessionMessage.Opened.class));
        RawLink again = client.reattach(opened, 0);
        assertThat(again.next(SessionMessage.Reattached.class)).isNotNull();
        link.abort(Cause.CONNECTION_LOST.failure("gone"));
        again.send(operation(1, Action.STAT, "/endless", DigestKind.NONE));
        assertThat(again.next(FileMessage.Found.class)).isNotNull();
        again.leave();
    }
}
