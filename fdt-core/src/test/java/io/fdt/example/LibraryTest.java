package io.fdt.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fdt.core.Fdt;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.plan.Zeros;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transport.Await;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs of the documentation work as it describes, and it shows exactly these programs. */
class LibraryTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "library.md");
    private static final Path PROGRAMS = Path.of("src", "test", "java", "io", "fdt", "example");
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path directory;

    private Path tree;
    private Path exported;
    private Fdt fdt;

    @BeforeEach
    void makeTree() throws IOException {
        tree = Files.createDirectories(directory.resolve("tree"));
        exported = Files.createDirectory(directory.resolve("exported"));
        Files.createDirectories(tree.resolve("empty"));
        Files.writeString(tree.resolve("small"), "hello");
        Files.write(tree.resolve("big"), new byte[9 << 20]);
        fdt = Fdt.at(directory.resolve("home"));
    }

    @Test
    void servesPushesAndVerifies() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();

        boolean same =
                new CopyAndVerify(fdt, new PrintStream(printed, true, StandardCharsets.UTF_8)).run(tree, exported);

        assertThat(same).as(printed.toString(StandardCharsets.UTF_8)).isTrue();
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("copied 2 files, " + ((9 << 20) + 5) + " bytes\n", "2 files verified, 0 differ\n");
        assertThat(exported.resolve("backup/tree/small")).hasContent("hello");
        assertThat(exported.resolve("backup/tree/big")).hasSize(9 << 20);
        assertThat(exported.resolve("backup/tree/empty")).isEmptyDirectory();
    }

    @Test
    void detectsAChangedCopy() throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        CopyAndVerify program = new CopyAndVerify(fdt, new PrintStream(printed, true, StandardCharsets.UTF_8));
        assertThat(program.run(tree, exported)).isTrue();
        // The same size and time, so that the next copy skips the file.
        Path copy = exported.resolve("backup/tree/small");
        var time = Files.getLastModifiedTime(copy);
        Files.writeString(copy, "hallo");
        Files.setLastModifiedTime(copy, time);

        assertThat(program.run(tree, exported)).isFalse();

        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("DIFFERENT")
                .contains("1 differ");
    }

    @Test
    void servesWithinAnotherProgram() throws Exception {
        Queue<String> log = new ConcurrentLinkedQueue<>();
        Files.writeString(exported.resolve("data"), "12345");
        try (Serving server = ServeReadOnly.start(fdt, exported, log::add)) {
            int port = server.address().getPort();

            Summary fetched = ServeReadOnly.fetch(fdt, port, "/data", directory.resolve("got"));
            Summary pushed = run(TransferPlan.push(tree, "127.0.0.1", port, "/"));
            NettestOutcome measured = ServeReadOnly.measure(fdt, port);

            assertThat(fetched.failure()).as("%s", fetched).isNull();
            assertThat(directory.resolve("got")).hasContent("12345");
            assertThat(pushed.kind()).isEqualTo(FailureKind.REFUSED);
            assertThat(measured.failure()).as("%s", measured).isNull();
            Await.until("the end of the session is told", () -> log.toString().contains("got 5 bytes"));
        }
    }

    @Test
    void aCopyThatIsClosedWhileItRunsStopsAndCanBeResumed() throws Exception {
        try (Serving server = fdt.serve(ServerSettings.of(exported))) {
            int port = server.address().getPort();
            TransferJob copy = fdt.copy(TransferPlan.push(tree, "127.0.0.1", port, "/")
                    .with(CopyValue.CHUNK_BYTES, 1 << 20)
                    .with(CopyValue.RATE_LIMIT, 2_000_000L));
            try (copy) {
                Await.until(
                        "something moves", () -> copy.progress().bytes().moved().durable() > 0);
                assertThat(copy.await(Duration.ofMillis(1))).isFalse();
            }
            Summary ended = copy.await();
            assertThat(ended.kind()).isEqualTo(FailureKind.INTERRUPTED);
            assertThat(exported.resolve("tree/big")).doesNotExist();

            Summary again = run(TransferPlan.push(tree, "127.0.0.1", port, "/").with(CopyValue.CHUNK_BYTES, 1 << 20));
            assertThat(again.failure()).as("%s", again).isNull();
            assertThat(exported.resolve("tree/big")).hasSize(9 << 20);
        }
    }

    @Test
    void copiesTheContentsOfADirectoryOnRequest() throws Exception {
        try (Serving server = fdt.serve(ServerSettings.of(exported))) {
            int port = server.address().getPort();

            Summary summary =
                    run(TransferPlan.push(tree, "127.0.0.1", port, "/in").contents());

            assertThat(summary.failure()).as("%s", summary).isNull();
            assertThat(exported.resolve("in/small")).hasContent("hello");
        }
    }

    @Test
    void takesHomeAndKeyFromTheEnvironmentAsTheCommandsDo() throws Exception {
        Fdt ofEnvironment =
                Fdt.ofEnvironment(Map.of("FDT_HOME", directory.resolve("home").toString()));
        Files.writeString(exported.resolve("data"), "12345");
        try (Serving server = ofEnvironment.serve(ServerSettings.of(exported))) {
            int port = server.address().getPort();
            assertThat(ServeReadOnly.fetch(fdt, port, "/data", directory.resolve("got"))
                            .failure())
                    .isNull();
            Fdt wrongKey = Fdt.ofEnvironment(
                    Map.of("FDT_HOME", directory.resolve("home").toString(), "FDT_KEY", "this is no key"));
            assertThat(failureOf(wrongKey, port)).isEqualTo(FailureKind.USAGE);
        }
    }

    private FailureKind failureOf(Fdt with, int port) throws InterruptedException {
        try {
            Summary summary = ServeReadOnly.fetch(with, port, "/data", directory.resolve("never"));
            return summary.kind();
        } catch (TransferException refused) {
            return refused.kind();
        }
    }

    @Test
    void refusesPlansThatMakeNoSense() throws InterruptedException {
        assertThatIllegalArgumentException().isThrownBy(() -> TransferPlan.push(tree, "", 1, "/"));
        assertThatIllegalArgumentException().isThrownBy(() -> TransferPlan.push(tree, "host", 0, "/"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TransferPlan.push(tree, "host", 1, "/").with(CopyValue.CHUNK_BYTES, 3 << 20));
        TransferPlan here = TransferPlan.of(Direction.PUSH, List.of(TransferPlan.DEV_ZERO), TransferPlan.DEV_NULL);
        assertThat(run(here).kind()).isEqualTo(FailureKind.USAGE);
        assertThat(run(here.with(CopyValue.SOURCES, List.of(RawPath.of(tree))).with(CopyValue.ZEROS, Zeros.of(100)))
                        .kind())
                .isEqualTo(FailureKind.USAGE);
    }

    private Summary run(TransferPlan plan) throws InterruptedException {
        try (TransferJob copy = fdt.copy(plan)) {
            return copy.await();
        }
    }

    @Test
    void theDocumentationShowsTheseVeryPrograms() throws IOException {
        String programs;
        try (Stream<Path> files = Files.list(PROGRAMS)) {
            programs = files.filter(file -> !file.endsWith("LibraryTest.java"))
                    .map(LibraryTest::read)
                    .map(LibraryTest::onOneLine)
                    .collect(Collectors.joining("\n"));
        }
        List<String> shown = new ArrayList<>();
        Matcher blocks = JAVA.matcher(Files.readString(DOCUMENT));
        while (blocks.find()) {
            shown.add(onOneLine(blocks.group(1)).strip());
        }
        assertThat(shown)
                .hasSizeGreaterThanOrEqualTo(4)
                .allSatisfy(block -> assertThat(programs).contains(block));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Joins all lines, because documentation and code break them at different places. */
    private static String onOneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }
}
