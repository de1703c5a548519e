package io.fdt.core.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.TestPlan;
import io.fdt.core.TestServer;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.Permission;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.TransferMessage.VerdictKind;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that holds a key and takes all it can get: an honest copy beside it succeeds. */
class GreedyClientTest {
    private static final long MAX_BYTES = 2 << 20;

    @TempDir
    Path directory;

    private Path root;
    private TestServer server;
    private HostileClient client;

    @BeforeEach
    void start() throws IOException {
        root = Files.createDirectories(directory.resolve("root"));
        Path home = directory.resolve("home");
        TransferLimits limits = TransferLimits.SERVER_DEFAULT;
        server = new TestServer(
                home,
                TcpSettings.DEFAULTS,
                ServerLimits.DEFAULT,
                new TransferLimits(limits.entries(), MAX_BYTES, limits.pathBytes(), limits.pathDepth()),
                root);
        IssuedKey key = new KeyStore(home).create("hostile", Permission.READ_WRITE, null);
        client = new HostileClient(server.address(), ServerAccess.of(Identity.loadOrCreate(home), key));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private void copyHonestly() throws Exception {
        Files.writeString(directory.resolve("honest"), "hello");
        assertThat(server.run(TestPlan.push(directory.resolve("honest"), "/honest"))
                        .failure())
                .isNull();
        assertThat(root.resolve("honest")).hasContent("hello");
    }

    private HostileClient.Opened push(TransferMessage.OpenTransfer request) throws InterruptedException {
        HostileClient.Opened open = client.open(request);
        open.link().send(new TransferMessage.SourceShape(false));
        return open;
    }

    private static TransferMessage.Verdicts offer(HostileClient.Opened open, int firstId, List<FileEntry> entries)
            throws InterruptedException {
        open.link().send(new TransferMessage.ManifestPage(firstId, entries));
        TransferMessage.Verdicts verdicts = open.link().next(TransferMessage.Verdicts.class);
        assertThat(verdicts).isNotNull();
        return verdicts;
    }

    @Test
    void cannotFillTheHeapWithDirectories() throws Exception {
        HostileClient.Opened open = push(HostileClient.push("/"));
        // Two paths without a common prefix, each of the maximum length.
        List<FileEntry> deep = new ArrayList<>();
        for (String first : List.of("a", "b")) {
            String path = first.repeat(250);
            for (int depth = 0; depth < 16; depth++) {
                deep.add(Frames.directory(path));
                path += "/" + first.repeat(250);
            }
        }
        offer(open, 0, deep);
        List<FileEntry> page = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            page.add(deep.get(15));
            page.add(deep.get(31));
        }
        long before = usedHeap();
        for (int i = 0; i < 100; i++) {
            assertThat(offer(open, deep.size() + i * page.size(), page).exceptions())
                    .isEmpty();
        }
        assertThat(usedHeap() - before).isLessThan(30L << 20);
        copyHonestly();
        open.link().close();
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Test
    void cannotSendTooManyGlobs() throws Exception {
        RawLink link = client.authenticated();
        String glob = "[a]".repeat(1365);
        List<PathRule> rules = List.of(new PathRule(false, RawPath.ofText(glob)));
        byte[] request = ControlCodec.encode(new TransferMessage.OpenTransfer(
                HostileClient.pull("/").request().with(CopyValue.RULES, rules)));
        // A rule is an array of a flag and of the glob, with a byte before each and three before the text.
        int start = new String(request, StandardCharsets.ISO_8859_1).indexOf(glob) - 5;
        int end = start + 5 + glob.length() + 1;
        ByteArrayOutputStream many = new ByteArrayOutputStream();
        many.write(request, 0, start);
        for (int i = 0; i < 250; i++) {
            many.write(request, start, end - start);
        }
        many.write(request, end, request.length - end);
        link.sendBytes(many.toByteArray());
        Failure why =
                HostileClient.required(link.next(SessionMessage.Failed.class)).why();
        assertThat(why.cause()).isEqualTo(Cause.USAGE);
        assertThat(why.detail()).contains("there are 250");
        copyHonestly();
    }

    @Test
    void cannotHaveOnePathTwice() throws Exception {
        Files.writeString(root.resolve("there"), "12345");
        HostileClient.Opened open = push(HostileClient.comparingPush("/"));

        TransferMessage.Verdicts verdicts = offer(open, 0, Collections.nCopies(1000, Frames.file("there", 5)));

        assertThat(verdicts.exceptions()).hasSize(1000);
        assertThat(verdicts.exceptions().get(0).kind()).isEqualTo(VerdictKind.COMPARE);
        assertThat(verdicts.exceptions().subList(1, 1000)).allSatisfy(each -> {
            assertThat(each.kind()).isEqualTo(VerdictKind.FAILED);
            assertThat(each.why().exitCode()).isEqualTo(FailureKind.REFUSED.exitCode());
        });
        copyHonestly();
        open.link().close();
    }

    @Test
    void comparedFilesAreNotAllOpenAtOnce() throws Exception {
        List<FileEntry> entries = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            Files.writeString(root.resolve("f" + i), "12345");
            entries.add(Frames.file("f" + i, 5));
        }
        HostileClient.Opened open = push(HostileClient.comparingPush("/"));
        long before = openFiles();

        assertThat(offer(open, 0, entries).exceptions()).hasSize(1000);

        assertThat(openFiles() - before).isLessThan(100);
        copyHonestly();
        open.link().close();
    }

    private static long openFiles() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.count();
        }
    }

    @Test
    void anErrorEndsItsSessionAlone() throws Exception {
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> uncaught.add(error));
        try {
            server.whenOpened = session -> {
                server.whenOpened = next -> {};
                throw new OutOfMemoryError("Cannot reserve 16 bytes of direct buffer memory");
            };
            Files.writeString(directory.resolve("honest"), "hello");
            assertThat(server.run(TestPlan.push(directory.resolve("honest"), "/unlucky"))
                            .kind())
                    .isEqualTo(FailureKind.LIMIT); // the first kind that has the exit code of a host limit
            copyHonestly();
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        // The client is told first.
        Await.until(
                "the operator is warned",
                () -> server.warnings.stream().anyMatch(warning -> warning.contains("direct buffer memory")));
        assertThat(uncaught).isEmpty();
    }

    /** The handler of fdt's processes ends the process, which must not stand there without memory. */
    @Test
    void aFullHeapReachesTheHandlerThatEndsTheProcess() throws Exception {
        List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> uncaught.add(error));
        try {
            server.whenOpened = session -> {
                throw new OutOfMemoryError("Java heap space");
            };
            Files.writeString(directory.resolve("honest"), "hello");
            server.run(TestPlan.push(directory.resolve("honest"), "/unlucky"));
            Await.until("the error is reported", () -> !uncaught.isEmpty());
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
        assertThat(uncaught.get(0)).isInstanceOf(OutOfMemoryError.class);
    }

    /** Holes cost nothing to send, so the size counts. */
    @Test
    void cannotDeclareMoreBytesThanItMaySend() throws Exception {
        HostileClient.Opened open = push(HostileClient.durablePush("/"));
        open.link()
                .send(new TransferMessage.ManifestPage(
                        0,
                        IntStream.range(0, 3)
                                .mapToObj(i -> Frames.file("big" + i, (int) MAX_BYTES / 2))
                                .toList()));

        SessionMessage.Failed failed = open.link().next(SessionMessage.Failed.class);

        assertThat(failed).isNotNull();
        assertThat(failed.why().text()).contains("--max-bytes");
        Await.until("the session has ended", () -> server.ended.size() == 1);
        copyHonestly();
    }
}
