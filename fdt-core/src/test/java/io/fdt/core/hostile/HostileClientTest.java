package io.fdt.core.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.TestPlan;
import io.fdt.core.TestServer;
import io.fdt.core.digest.Checksums;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.Secret;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.security.SessionProof;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.VerifyMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that holds a key and breaks every rule: nothing outside the root changes, and the server keeps serving. */
class HostileClientTest {
    @TempDir
    Path directory;

    private Path root;
    private Map<String, String> before;
    private TestServer server;
    private ServerAccess access;
    private HostileClient client;

    @BeforeEach
    void start() throws IOException {
        root = Files.createDirectories(directory.resolve("outside/root"));
        Files.writeString(directory.resolve("outside/canary"), "canary");
        Files.createDirectory(directory.resolve("outside/dir"));
        Files.createSymbolicLink(root.resolve("out"), Path.of(".."));
        Files.createSymbolicLink(root.resolve("absolute"), directory.resolve("outside"));
        before = outside();
        Path home = directory.resolve("home");
        server = new TestServer(home, root);
        IssuedKey key = new KeyStore(home).create("hostile", Permission.READ_WRITE, null);
        access = ServerAccess.of(Identity.loadOrCreate(home), key);
        client = new HostileClient(server.address(), access);
    }

    /** Checks that the server still serves honest clients, and that nothing outside the root has changed. */
    @AfterEach
    void nothingIsLost() throws Exception {
        try {
            Files.writeString(directory.resolve("honest"), "hello");
            assertThat(server.run(TestPlan.push(directory.resolve("honest"), "/honest"))
                            .failure())
                    .isNull();
            assertThat(root.resolve("honest")).hasContent("hello");
            assertThat(outside()).isEqualTo(before);
        } finally {
            client.close();
            server.close();
        }
    }

    /** Returns everything outside the root, with contents, mode and time. */
    private Map<String, String> outside() throws IOException {
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory.resolve("outside"))) {
            for (Path path : paths.filter(each -> !each.startsWith(root)).toList()) {
                String content = Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) ? Files.readString(path) : "";
                found.put(
                        path.toString(),
                        content + " " + Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
            }
        }
        return found;
    }

    static Stream<byte[]> evilPaths() {
        return Stream.of(
                        "../canary",
                        "../../x",
                        "a/../../canary",
                        "..",
                        ".",
                        "./x",
                        "a/./b",
                        "a//b",
                        "/canary",
                        "//x",
                        "a/",
                        "/",
                        "out/canary",
                        "out/new",
                        "out/dir/new",
                        "absolute/canary",
                        "absolute/new",
                        "out/root/../canary",
                        "x".repeat(300),
                        "y/".repeat(600) + "y",
                        "d/" + "z".repeat(4090))
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    private static void requireAllFailed(HostileClient.Opened open, int count) throws InterruptedException {
        assertThat(HostileClient.required(open.link().next(TransferMessage.Verdicts.class))
                        .exceptions())
                .hasSize(count)
                .allSatisfy(each -> assertThat(each.kind()).isEqualTo(TransferMessage.VerdictKind.FAILED));
    }

    private static void finish(HostileClient.Opened open, int failed) throws InterruptedException {
        open.link().send(new TransferMessage.Finish(0, 0, "none", 0));
        assertThat(HostileClient.required(open.link().next(TransferMessage.Finished.class))
                        .filesFailed())
                .isEqualTo(failed);
    }

    @ParameterizedTest
    @MethodSource("evilPaths")
    void cannotPutAFileOutsideTheRoot(byte[] path) throws Exception {
        HostileClient.Opened open = client.open(HostileClient.push("/"));
        open.link().send(new TransferMessage.SourceShape(false));
        open.link().send(new TransferMessage.ManifestPage(0, List.of(Frames.file(path, 5, 0644))));
        RawLane lane = client.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), false);
        lane.send(Frames.chunk(open.session().sessionId(), 0, 0, "EVIL!".getBytes(StandardCharsets.UTF_8)));

        requireAllFailed(open, 1);
        lane.close();
        open.link().leave();
        Await.until("the session has ended", () -> server.ended.size() == 1);
    }

    /** The client sends a link that points outside, then a file, a directory and another link through it. */
    @Test
    void cannotWriteThroughALinkThatItMade() throws Exception {
        List<FileEntry> entries = List.of(
                Frames.directory("d"),
                Frames.link("d/up", "../.."),
                Frames.link("abs", directory.resolve("outside").toString()),
                Frames.file("d/up/new", 5),
                Frames.file("abs/new", 5),
                Frames.file("abs/canary", 5),
                Frames.directory("d/up/newdir"),
                Frames.directory("abs/dir"),
                Frames.link("abs/newlink", "canary"),
                Frames.file("d/up", 5),
                Frames.link("swap", "canary"),
                Frames.file("swap", 5));
        HostileClient.Opened open = client.open(HostileClient.push("/"));
        open.link().send(new TransferMessage.SourceShape(false));
        open.link().send(new TransferMessage.ManifestPage(0, entries));
        RawLane lane = client.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), false);
        // The server drops chunks of entries that it has not decided yet, and acknowledges none of them.
        assertThat(open.link().next(TransferMessage.Verdicts.class)).isNotNull();
        for (int id = 0; id < entries.size(); id++) {
            lane.send(Frames.chunk(open.session().sessionId(), id, 0, "EVIL!".getBytes(StandardCharsets.UTF_8)));
        }
        assertThat(open.link().next(TransferMessage.Acknowledged.class)).isNotNull();
        open.link().send(new TransferMessage.Finish(0, 0, "none", 0));
        lane.close();
        open.link().leave();
        Await.until("the session has ended", () -> server.ended.size() == 1);
    }

    /**
     * A mirror sweeps the directories that the client names, so this client names directories of others and paths to
     * them.
     */
    @ParameterizedTest
    @MethodSource("evilPaths")
    void cannotDeleteOutsideTheRoot(byte[] path) throws Exception {
        Files.writeString(directory.resolve("outside/dir/file"), "x");
        before = outside();
        HostileClient.Opened open = client.open(HostileClient.mirroringPush("/"));
        open.link().send(new TransferMessage.SourceShape(false));
        open.link().send(new TransferMessage.LeftOut(List.of(RawPath.ofBytes(path))));
        open.link()
                .send(new TransferMessage.ManifestPage(
                        0, List.of(Frames.directory(RawPath.ofBytes(path).text()))));
        requireAllFailed(open, 1);
        finish(open, 1);
        open.link().leave();
        Await.until("the session has ended", () -> server.ended.size() == 1);
    }

    @Test
    void cannotDeleteThroughALinkThatTookTheNameOfADirectory() throws Exception {
        Files.writeString(directory.resolve("outside/dir/file"), "x");
        before = outside();
        HostileClient.Opened open = client.open(HostileClient.mirroringPush("/"));
        open.link().send(new TransferMessage.SourceShape(false));
        open.link().send(new TransferMessage.ManifestPage(0, List.of(Frames.directory("d"))));
        assertThat(HostileClient.required(open.link().next(TransferMessage.Verdicts.class))
                        .exceptions())
                .isEmpty();
        Files.move(root.resolve("d"), root.resolve("moved"));
        Files.createSymbolicLink(root.resolve("d"), directory.resolve("outside/dir"));
        finish(open, 0);
        open.link().leave();
        Await.until("the session has ended", () -> server.ended.size() == 1);
    }

    @ParameterizedTest
    @MethodSource("evilPaths")
    void cannotPutARangeOrWhatIsMadeOfRangesOutsideTheRoot(byte[] path) throws Exception {
        FileEntry file = Frames.file(path, 20 << 20, 0644);
        FileRange range = new FileRange(0, 20 << 20, 8 << 20);
        HostileClient.Opened open = client.open(HostileClient.durablePush("/"));
        open.link().send(new TransferMessage.SourceShape(false));
        open.link().send(new TransferMessage.ManifestPage(0, List.of(file.ranged(range), file.ranged(range.all()))));

        requireAllFailed(open, 2);
        open.link().leave();
        Await.until("the session has ended", () -> server.ended.size() == 1);
    }

    /** A client with one range of a file cannot write to the range before or after it. */
    @Test
    void cannotWriteBesideItsRange() throws Exception {
        FileRange range = new FileRange(8 << 20, 20 << 20, 8 << 20);
        HostileClient.Opened open = client.open(HostileClient.durablePush("/"));
        open.link().send(new TransferMessage.SourceShape(false));
        FileEntry file = Frames.file("f", 20 << 20);
        open.link().send(new TransferMessage.ManifestPage(0, List.of(file.ranged(range), file.ranged(range))));
        TransferMessage.Verdicts verdicts = open.link().next(TransferMessage.Verdicts.class);
        assertThat(verdicts).isNotNull();
        assertThat(verdicts.exceptions()).as("the same once more").hasSize(1).allSatisfy(each -> {
            assertThat(each.fileId()).isEqualTo(1);
            assertThat(each.kind()).isEqualTo(TransferMessage.VerdictKind.FAILED);
            assertThat(each.why().text()).contains("offered twice");
        });
        RawLane lane = client.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), false);
        lane.send(Frames.chunk(open.session().sessionId(), 0, 8 << 20, "EVIL!".getBytes(StandardCharsets.UTF_8)));
        lane.send(Frames.chunk(open.session().sessionId(), 0, 0, "EVIL!".getBytes(StandardCharsets.UTF_8)));
        lane.close();
        open.link().leave();
        Await.until("the session has ended", () -> server.ended.size() == 1);
        assertThat(root.resolve("f")).doesNotExist();
        try (Stream<Path> files = Files.list(root)) {
            for (Path each :
                    files.filter(one -> one.toString().endsWith(".part")).toList()) {
                assertThat(each).hasBinaryContent(new byte[20 << 20]);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("evilTargets")
    void cannotChooseATargetOrSourceOutsideTheRoot(String path) throws Exception {
        Files.writeString(root.resolve("honest"), "hello");
        for (ControlMessage request : List.of(
                HostileClient.push(path),
                HostileClient.pull(path),
                HostileClient.request(
                        Direction.PULL,
                        List.of(RawPath.ofText("/honest"), RawPath.ofText(path)),
                        RawPath.ofText("/"),
                        false))) {
            RawLink link = client.authenticated();
            link.send(request);
            link.send(new TransferMessage.SourceShape(true));
            link.send(new TransferMessage.ManifestPage(0, List.of(Frames.file("x", 0))));
            assertThat(link.next(TransferMessage.ManifestPage.class)).as(path).isNull();
            link.leave();
        }
        requireAllEndedWith(FailureKind.REFUSED);
    }

    @ParameterizedTest
    @MethodSource("evilTargets")
    void cannotListOutsideTheRoot(String path) throws Exception {
        requireNothingListed(path);
        requireAllEndedWith(FailureKind.REFUSED);
    }

    private void requireNothingListed(String path) throws InterruptedException {
        RawLink link = client.authenticated();
        link.send(new VerifyMessage.OpenList(RawPath.ofText(path), true, true, 5_000, null));
        assertThat(link.next(VerifyMessage.VerifyPage.class)).as(path).isNull();
        link.leave();
    }

    private void requireAllEndedWith(FailureKind kind) {
        Await.until("the sessions have ended", () -> server.ended.size() == server.started.size());
        assertThat(server.ended)
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each.kind()).isEqualTo(kind));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/out/can*", "/*/canary", "/../can?ry", "/*/../[c]anary", "/o*/d*", "/*/*/*", "/out*/", "/[a]*/*"
            })
    void cannotReachOutsideTheRootByAPattern(String pattern) throws Exception {
        RawLink pulling = client.authenticated();
        pulling.send(HostileClient.pull(pattern));
        assertThat(pulling.next(TransferMessage.ManifestPage.class)).as(pattern).isNull();
        pulling.leave();
        requireNothingListed(pattern);
        requireAllEndedWith(FailureKind.SOURCE);
    }

    static Stream<String> evilTargets() {
        return Stream.of(
                "/../canary",
                "../canary",
                "/out/canary",
                "/out/",
                "/absolute/canary",
                "/absolute/",
                "/out/../canary",
                "/../root/../canary",
                "/out/root/../dir",
                "//../canary");
    }

    @Test
    void cannotLeaveSetuidFilesBehind() throws Exception {
        byte[] tool = "tool".getBytes(StandardCharsets.UTF_8);
        HostileClient.Opened open = client.open(HostileClient.push("/"));
        open.link().send(new TransferMessage.SourceShape(false));
        open.link().send(new TransferMessage.ManifestPage(0, List.of(Frames.file(tool, 5, 06755))));
        RawLane lane = client.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), false);
        assertThat(open.link().next(TransferMessage.Verdicts.class)).isNotNull();
        lane.send(Frames.chunk(open.session().sessionId(), 0, 0, "EVIL!".getBytes(StandardCharsets.UTF_8)));
        assertThat(open.link().next(TransferMessage.FilesDone.class)).isNotNull();
        lane.close();
        open.link().leave();

        assertThat(root.resolve("tool")).hasContent("EVIL!");
        assertThat(Files.getPosixFilePermissions(root.resolve("tool")))
                .isEqualTo(PosixFilePermissions.fromString("rwxr-xr-x"));
        int mode = (Integer) Files.getAttribute(root.resolve("tool"), "unix:mode");
        assertThat(mode & 07000).isZero();
    }

    /** A proof is valid once, for its lane, attempt and session. */
    @Test
    void cannotJoinASessionWithAGuessedARepeatedOrAnothersProof() throws Exception {
        HostileClient.Opened one = client.open(HostileClient.push("/one/"));
        HostileClient.Opened other = client.open(HostileClient.push("/other/"));
        byte[] good = HostileClient.proof(one.session(), 0, 0);
        List<RawLane> refused = new ArrayList<>();
        refused.add(client.lane(one.session(), 0, 0, new byte[32], false));
        refused.add(client.lane(one.session(), 1, 0, good, false));
        refused.add(client.lane(one.session(), 0, 1, good, false));
        refused.add(client.lane(other.session(), 0, 0, good, false));
        refused.add(client.lane(one.session(), 900, 0, HostileClient.proof(one.session(), 900, 0), false));
        byte[] strange = one.session().sessionId().clone();
        strange[0]++;
        refused.add(client.lane(
                new SessionMessage.Opened(strange, one.session().secret(), 2, false, 0, Checksums.NONE),
                0,
                0,
                good,
                false));
        for (RawLane lane : refused) {
            lane.awaitClose();
            assertThat(lane.received()).isEmpty();
        }
        RawLane joined = client.lane(one.session(), 0, 0, good, false);
        RawLane replayed = client.lane(one.session(), 0, 0, good, false);
        Await.until("one of them is thrown out", () -> joined.isClosed() || replayed.isClosed());
        assertThat(joined.isClosed() && replayed.isClosed()).isFalse();
        Await.until("the server has reported all refusals", () -> server.refused.size() >= 7);
        one.link().leave();
        other.link().leave();
    }

    /**
     * Whoever has read the server's file of keys has each key's id, and 32 bytes that only check its proofs. They are
     * not the secret, and the server does not take them in its place either, under the mask that they are good for.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cannotLogInWithWhatTheServersFileOfKeysContains(boolean maskedByItself) throws Exception {
        Matcher line = Pattern.compile("id=(\\S+) .*?=([A-Za-z0-9_-]{43})\\b.*")
                .matcher(Files.readString(directory.resolve("home/keys")));
        int lines = 0;
        for (; line.find(); lines++) {
            byte[] found = Base64.getUrlDecoder().decode(line.group(2));
            String id = line.group(1);
            RawLink link = client.connect();
            byte[] nonce = HostileClient.required(link.next(SessionMessage.Challenge.class))
                    .nonce();
            ServerAccess stolen = new ServerAccess(access.fingerprint(), id, Secret.ofBytes(found));
            byte[] proof = maskedByItself ? masked(found, id, nonce) : SessionProof.ofClient(stolen, nonce);
            link.send(new SessionMessage.Authenticate(id, proof, "fdt hostile"));
            link.send(HostileClient.push("/stolen"));
            assertThat(HostileClient.required(link.next(SessionMessage.Failed.class))
                            .why()
                            .exitCode())
                    .isEqualTo(FailureKind.REFUSED.exitCode());
        }
        assertThat(lines).as("the default key and the client's").isEqualTo(2);
    }

    /** Returns what the server unmasks to the verifier itself. */
    private byte[] masked(byte[] verifier, String keyId, byte[] nonce) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(verifier, "HmacSHA256"));
        for (byte[] part : new byte[][] {
            "fdt 1 client".getBytes(StandardCharsets.US_ASCII),
            access.fingerprint().bytes(),
            keyId.getBytes(StandardCharsets.US_ASCII),
            nonce
        }) {
            mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, part.length));
            mac.update(part);
        }
        byte[] masked = mac.doFinal();
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= verifier[i];
        }
        return masked;
    }

    /** A client is not known to itself by the address from which its server sees it. */
    @Test
    void itsOwnFailureComesBackAsOneOfItsHost() throws Exception {
        HostileClient.Opened open = client.open(HostileClient.push("/"));
        open.link().send(new SessionMessage.Failed(Failure.of(Cause.NO_SPACE, "full")));
        Failure back = HostileClient.required(open.link().next(SessionMessage.Failed.class))
                .why();
        assertThat(back.cause()).isEqualTo(Cause.NO_SPACE);
        assertThat(back.place()).isEqualTo(Failure.HERE);
    }

    /** A proof that was recorded on one link is worthless on the next. */
    @Test
    void cannotReplayTheProofOfAKey() throws Exception {
        RawLink first = client.connect();
        SessionMessage.Challenge challenge = first.next(SessionMessage.Challenge.class);
        assertThat(challenge).isNotNull();
        RawLink second = client.connect();
        SessionMessage.Challenge fresh = second.next(SessionMessage.Challenge.class);
        assertThat(fresh).isNotNull();
        assertThat(fresh.nonce()).isNotEqualTo(challenge.nonce()).hasSize(32);
        second.send(new SessionMessage.Authenticate(
                access.keyId(), SessionProof.ofClient(access, challenge.nonce()), "fdt hostile"));
        SessionMessage.Failed failed = second.next(SessionMessage.Failed.class);
        assertThat(failed).isNotNull();
        assertThat(failed.why().exitCode()).isEqualTo(FailureKind.REFUSED.exitCode());
        first.close();
    }

    @Test
    void cannotDoAnythingBeforeItHasProvenItself() throws Exception {
        for (ControlMessage message : List.of(
                HostileClient.push("/x"),
                new TransferMessage.SourceNames(List.of(RawPath.ofText("x"))),
                new SessionMessage.Reattach(new byte[16], new byte[32], 0),
                new SessionMessage.Heartbeat(1),
                new SessionMessage.AskHost(),
                new TransferMessage.ManifestPage(0, List.of()))) {
            RawLink link = client.connect();
            link.send(message);
            SessionMessage.Failed failed = link.next(SessionMessage.Failed.class);
            assertThat(failed).as("%s", message).isNotNull();
            assertThat(failed.why().exitCode()).isEqualTo(FailureKind.REFUSED.exitCode());
        }
        assertThat(server.started).isEmpty();
    }

    /** A client opens a clear lane to a server that serves encrypted lanes only. */
    @Test
    void cannotUseClearLanesThatWereNotGranted() throws Exception {
        RawLink asking = client.authenticated();
        asking.send(HostileClient.request(Direction.PUSH, List.of(), RawPath.ofText("/x"), true));
        SessionMessage.Failed failed = asking.next(SessionMessage.Failed.class);
        assertThat(failed).isNotNull();
        assertThat(failed.why().exitCode()).isEqualTo(FailureKind.REFUSED.exitCode());

        HostileClient.Opened open = client.open(HostileClient.push("/"));
        open.link().send(new TransferMessage.SourceShape(false));
        open.link().send(new TransferMessage.ManifestPage(0, List.of(Frames.file("clear", 5))));
        assertThat(open.link().next(TransferMessage.Verdicts.class)).isNotNull();
        RawLane lane = client.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), true);
        lane.send(Frames.chunk(open.session().sessionId(), 0, 0, "EVIL!".getBytes(StandardCharsets.UTF_8)));
        lane.awaitClose();
        open.link().leave();
        Await.until("the session has ended", () -> server.ended.size() == 1);
        assertThat(root.resolve("clear")).doesNotExist();
    }

    /** Bytes for files that were not offered, not requested, beyond their end, or already complete. */
    @Test
    void cannotWriteWhatWasNotAgreedOn() throws Exception {
        byte[] evil = "EVIL!".getBytes(StandardCharsets.UTF_8);
        for (int variant = 0; variant < 4; variant++) {
            HostileClient.Opened open = client.open(HostileClient.push("/v" + variant + "/"));
            open.link().send(new TransferMessage.SourceShape(false));
            open.link().send(new TransferMessage.ManifestPage(0, List.of(Frames.file("f", 10), Frames.directory("g"))));
            assertThat(open.link().next(TransferMessage.Verdicts.class)).isNotNull();
            RawLane lane = client.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), false);
            byte[] id = open.session().sessionId();
            lane.send(
                    switch (variant) {
                        case 0 -> Frames.chunk(id, 77, 0, evil);
                        case 1 -> Frames.chunk(id, 1, 0, evil);
                        case 2 -> Frames.chunk(id, 0, 131_072, evil);
                        default -> Frames.chunk(id, 0, 0, new byte[100]);
                    });
            lane.send(Frames.chunk(id, 0, 0, "123456789\n".getBytes(StandardCharsets.UTF_8)));
            TransferMessage.FilesDone done = open.link().next(TransferMessage.FilesDone.class);
            lane.close();
            open.link().leave();
            Path file = root.resolve("v" + variant + "/f");
            if (variant < 2) {
                // The server ignores what it does not need.
                assertThat(HostileClient.required(done).fileIds()).containsExactly(0);
                assertThat(file).hasContent("123456789\n");
            } else {
                assertThat(done).isNull();
                assertThat(file).doesNotExist();
            }
        }
        int sessions = server.started.size();
        Await.until("the sessions have ended", () -> server.ended.size() == sessions);
        assertThat(server.ended)
                .extracting(Summary::kind)
                .filteredOn(FailureKind.VERSION::equals)
                .hasSize(2);
    }

    /** A flood of large messages ends the flooding client's session, and takes little memory. */
    @Test
    void cannotFloodTheServerWithMessages() throws Exception {
        byte[] page = io.fdt.core.wire.ControlCodec.encode(new SessionMessage.Warning("w".repeat(4000)));
        HostileClient.Opened open = client.open(HostileClient.push("/flood/"));
        long sent = 0;
        while (!open.link().isClosed() && sent < 64 << 20) {
            open.link().sendBytes(page);
            sent += page.length;
            if (sent % (1 << 20) < page.length) {
                Await.until(
                        "it is taken",
                        () -> open.link().isClosed() || open.link().queuedBytes() < 1 << 20);
            }
        }
        open.link().leave();
        Await.until("the session has ended", () -> server.ended.size() == 1);
    }
}
