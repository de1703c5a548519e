package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A short command loads only what it needs: loading classes is most of its time. */
final class StartTest {
    /** Parts of Java that each took a start some hundredths of a second, for something that has a cheaper way. */
    private static final List<String> COSTLY = List.of(
            "java.lang.reflect.Proxy$ProxyBuilder",
            "java.util.logging.LogManager",
            "sun.reflect.annotation.AnnotationInvocationHandler",
            "sun.security.smartcardio.SunPCSC",
            "org.jcp.xml.dsig.internal.dom.XMLDSigRI",
            "javax.crypto.JceSecurity",
            "java.security.cert.CertificateFactory",
            "java.lang.ProcessHandleImpl",
            "java.net.DatagramSocket",
            "java.time.format.DateTimeFormatter",
            "java.util.Formatter",
            "java.util.ServiceLoader",
            "io.netty.buffer.AdaptivePoolingAllocator",
            "io.fdt.cli.option.ServerOptions",
            "io.fdt.cli.option.NettestOptions",
            "com.fasterxml.jackson.core.JsonFactory");

    /** What makes the equality of a record at its first use, of method handles. */
    private static final String RECORD_METHODS = "java.lang.runtime.ObjectMethods";

    /** More than a copy needs today, and less than it needed before this test. */
    private static final int CLASSES_MAX = 2_800;

    /** Classes that only a long copy loads, such as the tuner's. A local copy's archive lacked 30 and more. */
    private static final int OF_SLOW_COPIES = 15;

    /** The archive is made without a scrape: of what that needs, it lacks what follows a short request, and gzip. */
    private static final int OF_COMPRESSED_SCRAPES = 15;

    /** Loaded if the system delivers the request of a scrape in pieces. */
    private static final String OF_DIVIDED_REQUESTS = "io.netty.buffer.CompositeByteBuf";

    /** Loaded if the monitor takes a sample just while the copy has lanes; the archive is made of copies as short. */
    private static final String OF_SAMPLED_LANES = "(io.fdt.monitor.LaneNics|io.fdt.monitor.figure.Sample\\$"
            + "|sun.nio.fs.(Globs|UnixFileSystem\\$)|java.nio.file.(PathMatcher|Files\\$)).*";

    /** Java verifies the providers of these as signed code, which no archive can contain. */
    private static final String SIGNED = "(sun.security.smartcardio|org.jcp.xml.dsig)\\..*";

    @RegisterExtension
    final Workplace at = new Workplace();

    private List<String> classesOf(int exitCode, Object... arguments) throws IOException {
        return loadsOf(exitCode, arguments).stream()
                .map(line -> line.split(" ", 2)[0])
                .toList();
    }

    /** Returns a line for each class: its name and where it is from. */
    private List<String> loadsOf(int exitCode, Object... arguments) throws IOException {
        Path log = at.path("classes");
        start(log, arguments).await(Workplace.LIMIT).expectExit(exitCode);
        return Files.readAllLines(log);
    }

    private FdtProcess start(Path log, Object... arguments) {
        return at.track(FdtProcess.start(setup(log, arguments)));
    }

    private FdtProcess.Setup setup(Path log, Object... arguments) {
        FdtProcess.Setup usual = at.setup("fdt", arguments);
        List<String> words = new ArrayList<>(usual.command());
        words.add(words.indexOf("-jar"), "-Xlog:class+load:file=" + log + ":none");
        return new FdtProcess.Setup("fdt", words, usual.environment(), usual.directory());
    }

    /** Returns the classes that no archive had. Java keeps its events out of archives. */
    private static List<String> readFromFiles(List<String> loads) {
        return loads.stream()
                .filter(line -> line.contains(" source: file:") || line.contains(" source: jrt:"))
                .filter(line -> !line.startsWith("jdk.internal.event.") && !line.startsWith("jdk.jfr.Event "))
                .toList();
    }

    @Test
    void archiveHasTheClassesOfServersClientsAndShortCommands() throws IOException {
        Path root = at.directory("served");
        Path log = at.path("server classes");
        FdtProcess process = start(log, "server", "--json", "--listen", "127.0.0.1:0", "--root", root);
        FdtServer server = FdtServer.whenReady(process, root);
        Path file = Trees.file(at.path("one"), 1, 1);

        assertThat(readFromFiles(loadsOf(0, "client", "--quiet", file, server.url("/one"))))
                .hasSizeLessThan(OF_SLOW_COPIES);
        assertThat(readFromFiles(loadsOf(0, "client", "--json", server.url("/one"), at.path("back"))))
                .hasSizeLessThan(OF_SLOW_COPIES);
        assertThat(readFromFiles(loadsOf(0, "ls", server.url("/")))).hasSizeLessThan(OF_SLOW_COPIES);
        assertThat(readFromFiles(loadsOf(0, "key", "list"))).isEmpty();
        assertThat(readFromFiles(loadsOf(2, "client", "--no-such-option"))).isEmpty();
        process.signal("TERM");
        process.await(Workplace.LIMIT).expectExit(0);
        List<String> loads = Files.readAllLines(log);
        assertThat(readFromFiles(loads))
                .filteredOn(line -> !line.matches(SIGNED))
                .hasSizeLessThan(OF_SLOW_COPIES);
        assertThat(loads)
                .filteredOn(line -> line.startsWith(RECORD_METHODS + " ") || isOfTraces(line))
                .isEmpty();
    }

    /** Whether it is a class that only a process with a receiver of traces needs. */
    private static boolean isOfTraces(String name) {
        return name.matches("(io[.]opentelemetry|java[.]net[.]http|io[.]fdt[.]cli[.]trace[.](?!Traces\\b)).*");
    }

    /** Reading their classes took a quarter of what a monitor costs a copy of half a minute. */
    @Test
    void archiveHasTheClassesOfMonitorsAndTheirScrapes() throws IOException {
        Path root = at.directory("watched");
        Path log = at.path("watched server");
        FdtProcess process =
                start(log, "server", "--json", "--listen", "127.0.0.1:0", "--monitor", "127.0.0.1:0", "--root", root);
        FdtServer server = FdtServer.whenReady(process, root);
        String monitor = process.awaitLine(Workplace.LIMIT, line -> line.contains("\"type\":\"monitor\""));
        Path file = Trees.file(at.path("seen"), 1, 1);

        assertThat(readFromFiles(
                        loadsOf(0, "client", "--quiet", "--monitor", "127.0.0.1:0", file, server.url("/seen"))))
                .hasSizeLessThan(OF_SLOW_COPIES);
        URLConnection scrape =
                URI.create(Json.object(monitor).get("url") + "metrics").toURL().openConnection();
        scrape.setRequestProperty("Accept", "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3");
        scrape.setRequestProperty("Accept-Encoding", "gzip");
        try (InputStream page = new GZIPInputStream(scrape.getInputStream())) {
            assertThat(page).asString(StandardCharsets.UTF_8).contains("fdt_bytes_total", "# EOF");
        }
        process.signal("TERM");
        process.await(Workplace.LIMIT).expectExit(0);
        assertThat(readFromFiles(Files.readAllLines(log)))
                .filteredOn(line ->
                        !line.matches(SIGNED) && !line.matches(OF_SAMPLED_LANES) && !line.contains(OF_DIVIDED_REQUESTS))
                .hasSizeLessThan(OF_SLOW_COPIES + OF_COMPRESSED_SCRAPES);
    }

    @Test
    void archiveHasTheClassesOfCopiesOverSsh() throws IOException {
        Path file = Trees.file(at.path("one"), 1, 1);
        Path ssh = Files.writeString(
                at.path("ssh"),
                "for command; do :; done; SSH_CONNECTION='127.0.0.1 0 127.0.0.1 0' exec sh -c \"$command\"");
        Path log = at.path("remote classes");
        String remote = Workplace.fdtInShell("-Xlog:class+load:file=" + log + ":none");

        assertThat(readFromFiles(loadsOf(
                        0,
                        "client",
                        "--quiet",
                        "--ssh",
                        "sh " + ssh,
                        "--remote-command",
                        remote,
                        file,
                        "127.0.0.1:" + at.path("there"))))
                .hasSizeLessThan(OF_SLOW_COPIES);
        assertThat(at.path("there")).hasSameBinaryContentAs(file);
        assertThat(readFromFiles(Files.readAllLines(log)))
                .filteredOn(line -> !line.matches(SIGNED))
                .hasSizeLessThan(OF_SLOW_COPIES);
    }

    @Test
    void copyOfOneByteLoadsOnlyWhatItNeeds() throws IOException {
        FdtServer server = at.server();
        Path file = Trees.file(at.path("one"), 1, 1);

        List<String> classes = classesOf(0, "client", "--quiet", file, server.url("/one"));

        assertThat(at.path("remote/one")).hasSameBinaryContentAs(file);
        assertThat(classes)
                .doesNotContainAnyElementsOf(COSTLY)
                .hasSizeLessThan(CLASSES_MAX)
                .noneMatch(StartTest::isOfTraces)
                // The build has made classes of all others. Java's signals are not known to the compiler.
                .noneMatch(name -> name.matches("io\\.fdt\\.(?!cli\\.console\\.SystemSignals).*\\$\\$Lambda\\$.*"));
    }

    /** A tree is tuned, and shown as text; its classes are not counted, since how many it needs depends on its time. */
    @Test
    void copyOfATreeLoadsNothingCostly() throws IOException {
        FdtServer server = at.server();
        Path tree = at.directory("tree");
        for (int i = 0; i < 500; i++) {
            Trees.file(tree.resolve("file" + i), 100, i);
        }

        assertThat(classesOf(0, "client", tree, server.url("/")))
                .doesNotContainAnyElementsOf(COSTLY)
                .doesNotContain(RECORD_METHODS);
    }

    @Test
    void secondCopyOfABatchLoadsNoMethodsOfRecords() throws IOException {
        FdtServer server = at.server();
        Path file = Trees.file(at.path("one"), 1, 1);
        Path log = at.path("classes");
        FdtProcess batch = at.track(FdtProcess.start(
                setup(log, "batch", server.url("")), ProcessBuilder.Redirect.PIPE, ProcessBuilder.Redirect.PIPE));

        for (int id = 1; id <= 2; id++) {
            String request =
                    "{'id':" + id + ",'op':'copy','from':'" + file + "','to':'" + server.url("/" + id) + "'}\n";
            batch.stdin().write(request.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
            batch.stdin().flush();
            String done = "{\"id\":" + id + ",\"type\":\"done\"";
            batch.awaitLine(Workplace.LIMIT, line -> line.startsWith(done));
        }
        batch.stdin().close();
        batch.await(Workplace.LIMIT).expectExit(0);

        assertThat(Files.readAllLines(log))
                .filteredOn(line -> line.startsWith(RECORD_METHODS + " "))
                .isEmpty();
    }

    @Test
    void copyOfOneChunkHasOneLane() {
        FdtServer server = at.server();
        Path file = Trees.file(at.path("one"), 1, 1);

        Outcome one = at.copy(file, server.url("/one")).expectExit(0);
        Outcome three = at.copy("-P", "3", file, server.url("/two")).expectExit(0);

        assertThat(one.jsonOfType("start").get(0)).containsEntry("lanes", 1L);
        assertThat(one.summary()).containsEntry("lanes", 1L);
        assertThat(three.jsonOfType("start").get(0)).containsEntry("lanes", 3L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0 --help",
                "0 --version",
                "0 help client",
                "0 client --help",
                "0 completion bash",
                "0 key list",
                "0 tune show",
                "2 client --no-such-option a b",
                "2 server --no-such-option",
                "2 ls --no-such-option",
                "2 nosuchcommand"
            })
    void commandWithoutASessionDoesNotLoadTheEngine(String exitCodeAndWords) throws IOException {
        List<String> words = List.of(exitCodeAndWords.split(" "));

        assertThat(classesOf(
                        Integer.parseInt(words.get(0)),
                        words.subList(1, words.size()).toArray()))
                .noneMatch(name -> name.startsWith("io.netty.")
                        || name.startsWith("io.fdt.core.transport.tcp.")
                        || name.startsWith("io.fdt.core.control.")
                        || name.startsWith("io.fdt.core.wire.")
                        || name.startsWith("io.fdt.core.storage."));
    }

    @Test
    void copyWithinTheHostLoadsNoNetwork() throws IOException {
        Path file = Trees.file(at.path("one"), 1, 1);
        Path copy = at.path("copy");

        List<String> classes = classesOf(0, "client", "--quiet", file, copy);

        assertThat(copy).hasSameBinaryContentAs(file);
        assertThat(classes).noneMatch(name -> name.startsWith("io.netty."));
    }

    @Test
    void listingDoesNotLoadCopies() throws IOException {
        FdtServer server = at.server();

        assertThat(classesOf(0, "ls", server.url("/")))
                .anyMatch(name -> name.startsWith("io.netty."))
                .noneMatch(name -> name.startsWith("io.fdt.core.transfer.sending.")
                        || name.startsWith("io.fdt.core.transfer.receiving."));
    }
}
