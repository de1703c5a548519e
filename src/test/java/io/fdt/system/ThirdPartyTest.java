package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.Adler32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A copy between two servers that a third machine requests: three processes, each with its own home. */
final class ThirdPartyTest {
    private static final int MIB = 1 << 20;
    private static final String LOOPBACK = "127.0.0.0/8";

    @RegisterExtension
    final Workplace at = new Workplace();

    /** Starts a server with its own home and imports its key into the home of the third machine. */
    private FdtServer server(String name, String listen, Object... options) {
        at.environment("FDT_HOME", at.path("home-" + name).toString());
        Path root = at.directory(name);
        List<Object> words = new ArrayList<>(List.of("--root", root));
        words.addAll(List.of(options));
        FdtServer server = at.rootlessServer(listen, root, words.toArray());
        String line = at.fdt("key", "show").expectExit(0).out().get(0);
        at.environment("FDT_HOME", at.path("home-me").toString());
        try {
            Path file = Files.writeString(at.path("line-" + name), line + "\n");
            at.fdt("key", "import", "--server", "127.0.0.1:" + server.port(), file)
                    .expectExit(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return server;
    }

    private FdtServer source(Object... options) {
        return server("a", "127.0.0.1:0", options);
    }

    private FdtServer target() {
        return server("b", "127.0.0.1:0");
    }

    /** Starts a copy that would take a minute: much longer than its timeout, and longer than a test lets it run. */
    private FdtProcess startSlowly(FdtServer source, FdtServer target) {
        return at.startCopy(
                "--timeout",
                "10s",
                "--rate-limit",
                "8Mbit",
                "--chunk-size",
                "128KiB",
                source.url("/big"),
                target.url("/big"));
    }

    private Outcome again(FdtServer source, FdtServer target) {
        return at.copy("--chunk-size", "128KiB", source.url("/big"), target.url("/big"))
                .expectExit(0);
    }

    private static void awaitEnd(FdtServer server, String what) {
        String start = server.process()
                .awaitLine(Workplace.LIMIT, text -> text.contains("\"session_start\"") && text.contains(what));
        Object session = Json.object(start).get("session");
        server.process()
                .awaitLine(
                        Workplace.LIMIT,
                        text -> text.contains("\"session_end\"")
                                && Json.object(text).get("session").equals(session));
    }

    @Test
    void theTreeGoesFromServerToServerAndTheThirdMachineFollows() {
        FdtServer source = source("--third-party", "10.0.0.0/8," + LOOPBACK);
        FdtServer target = target();
        Trees.small(source.root().resolve("tree"), 1);
        Trees.file(source.root().resolve("tree/big"), 30 * MIB + 17, 2);
        Outcome outcome = at.copy("--json=files", "-P", 3, source.url("/tree"), target.url("/in/"))
                .expectExit(0);

        Trees.assertSame(source.root().resolve("tree"), target.root().resolve("in/tree"));
        assertThat(outcome.jsonOfType("start")).hasSize(1);
        assertThat(outcome.jsonOfType("start").get(0)).containsEntry("lanes", 3L);
        assertThat(outcome.jsonOfType("file")).hasSize((int) outcome.number("files"));
        assertThat(outcome.number("bytes_sent")).isGreaterThan(30 * MIB);
        assertThat(outcome.summary()).containsEntry("outcome", "ok").containsKey("digest");

        Outcome again = at.copy(source.url("/tree"), target.url("/in/")).expectExit(0);
        assertThat(again.number("bytes_sent")).isZero();
        assertThat(again.number("files_skipped")).isEqualTo(outcome.number("files"));
    }

    @Test
    void linksAboveTheTargetsOfPairsAreFollowed() throws IOException {
        FdtServer source = source("--third-party", LOOPBACK);
        FdtServer target = target();
        Trees.file(source.root().resolve("f"), 100, 1);
        Path disk = Files.createDirectories(target.root().resolve("disk"));
        Path link = Files.createSymbolicLink(target.root().resolve("in"), Path.of("disk"));
        Path list = Files.writeString(
                at.path("list"),
                source.url("/f") + "\t" + target.url("/in/d/x") + "\n" + source.url("/f") + "\t" + target.url("/y")
                        + "\n");
        at.copy("--pairs", list).expectExit(0);
        assertThat(Files.isSymbolicLink(link)).isTrue();
        assertThat(disk.resolve("d/x")).exists();
        assertThat(target.root().resolve("y")).exists();
    }

    @Test
    void serverRefusesTargetsOutsideItsThirdPartyNetworks() {
        FdtServer target = target();
        FdtServer unwilling = server("a", "127.0.0.1:0");
        Trees.file(unwilling.root().resolve("f"), 10, 1);
        Outcome refused = at.copy(unwilling.url("/f"), target.url("/f")).expectExit(7);
        assertThat(refused.errText()).contains("--third-party NETWORK");

        FdtServer elsewhere = server("c", "127.0.0.1:0", "--third-party", "192.0.2.0/24", "--third-party", "0.0.0.0/0");
        Trees.file(elsewhere.root().resolve("f"), 10, 1);
        Outcome wrong = at.copy(elsewhere.url("/f"), target.url("/f")).expectExit(7);
        assertThat(wrong.errText()).contains("may not copy to 127.0.0.1");
        assertThat(target.root().resolve("f")).doesNotExist();
    }

    @Test
    void showsTheChecksumOfWhatOneServerSendsToTheOther() throws IOException {
        FdtServer source = source("--third-party", LOOPBACK);
        FdtServer target = target();
        Trees.file(source.root().resolve("f"), 3 * MIB, 1);

        Outcome copy = at.fdt("client", "--json=files", "--checksum", "adler32", source.url("/f"), target.url("/f"))
                .expectExit(0);

        Adler32 sum = new Adler32();
        sum.update(Files.readAllBytes(target.root().resolve("f")));
        assertThat(copy.jsonOfType("file"))
                .singleElement()
                .satisfies(file -> assertThat(file)
                        .containsEntry("checksums", Map.of("adler32", "%08x".formatted(sum.getValue()))));
    }

    /** The same files by a push and between the servers: all but the session and the time is the same. */
    @Test
    void theReceiptIsThatOfAPushOfTheSameFiles() throws IOException {
        FdtServer source = source("--third-party", LOOPBACK);
        FdtServer target = target();
        Path tree = source.root().resolve("tree");
        Trees.small(tree, 1);
        Trees.file(tree.resolve("big"), 3 * MIB + 17, 2);
        Path pushed = at.path("pushed.json");
        Path between = at.path("between.json");
        Object[] sums = {"--checksum", "adler32,sha256"};
        at.copy("--receipt", pushed, sums[0], sums[1], tree, target.url("/pushed/"))
                .expectExit(0);

        at.copy("--receipt", between, sums[0], sums[1], source.url("/tree"), target.url("/between/"))
                .expectExit(0);

        assertThat(files(between)).isEqualTo(files(pushed)).isNotEmpty();
        assertThat(Json.object(Files.readString(between)).keySet())
                .isEqualTo(Json.object(Files.readString(pushed)).keySet());
        at.fdt("verify", "--receipt", between, target.root().resolve("between")).expectExit(0);
        // What is there already is read again at the source.
        at.copy("--receipt", between, source.url("/tree"), target.url("/between/"))
                .expectExit(0);
        at.fdt("verify", "--receipt", between, target.root().resolve("between")).expectExit(0);
        Trees.file(target.root().resolve("between/tree/big"), 3 * MIB + 17, 3);
        at.fdt("verify", "--receipt", between, target.root().resolve("between")).expectExit(6);
    }

    private static List<String> files(Path receipt) throws IOException {
        return ((List<?>) Json.object(Files.readString(receipt)).get("files"))
                .stream().map(String::valueOf).sorted().toList();
    }

    @Test
    void aReceiptThatCannotBeWrittenEndsTheCopyBeforeItBegins() throws IOException {
        FdtServer source = source("--third-party", LOOPBACK);
        FdtServer target = target();
        Trees.file(source.root().resolve("f"), 10, 1);
        Path nowhere = at.path("no/such/receipt.json");
        Outcome refused = at.copy("--receipt", nowhere, source.url("/f"), target.url("/f"))
                .expectExit(5);
        assertThat(refused.errText()).contains("cannot write the receipt");
        assertThat(target.root().resolve("f")).doesNotExist();

        Files.writeString(target.root().resolve("f"), "other");
        Path receipt = at.path("receipt.json");
        at.copy("--existing", "fail", "--receipt", receipt, source.url("/f"), target.url("/f"))
                .expectExit(5);
        assertThat(receipt).content().contains("\"outcome\":\"failed\"", "\"files_failed\":1");
    }

    @Test
    @Tag("full")
    void whenTheThirdMachineDiesTheCopyEndsAndTheNextRunGoesOn() {
        FdtServer source = source("--third-party", LOOPBACK);
        FdtServer target = target();
        Trees.file(source.root().resolve("big"), 60 * MIB, 1);
        FdtProcess client = startSlowly(source, target);
        client.awaitAcknowledged(Workplace.LIMIT, 2 * MIB);
        client.killHard();

        awaitEnd(source, "push /big");
        awaitEnd(target, "delegate a push");
        awaitEnd(target, "\"push to /big\"");
        assertThat(target.root().resolve("big")).doesNotExist();
        Outcome rerun = again(source, target);
        assertThat(rerun.number("bytes_resumed")).isGreaterThanOrEqualTo(2 * MIB);
        Trees.assertSameFile(source.root().resolve("big"), target.root().resolve("big"));
    }

    @Test
    @Tag("full")
    void theInterruptedCopyEndsAtOnceOnBothServers() {
        FdtServer source = source("--third-party", LOOPBACK);
        FdtServer target = target();
        Trees.file(source.root().resolve("big"), 60 * MIB, 1);
        FdtProcess client = startSlowly(source, target);
        client.awaitAcknowledged(Workplace.LIMIT, MIB);
        client.signal("INT");
        client.await(Workplace.LIMIT).expectExit(130);

        awaitEnd(source, "push /big");
        awaitEnd(target, "\"push to /big\"");
        again(source, target);
        Trees.assertSameFile(source.root().resolve("big"), target.root().resolve("big"));
    }

    @Test
    @Tag("full")
    void whenTheSourceServerDiesTheNextRunGoesOn() {
        FdtServer source = source("--third-party", LOOPBACK);
        FdtServer target = target();
        Trees.file(source.root().resolve("big"), 60 * MIB, 1);
        FdtProcess client = startSlowly(source, target);
        client.awaitAcknowledged(Workplace.LIMIT, 2 * MIB);
        source.process().killHard();
        client.await(Workplace.LIMIT).expectExit(9);

        FdtServer back = server("a", "127.0.0.1:" + source.port(), "--third-party", LOOPBACK);
        Outcome rerun = again(back, target);
        assertThat(rerun.number("bytes_resumed")).isGreaterThanOrEqualTo(2 * MIB);
        Trees.assertSameFile(back.root().resolve("big"), target.root().resolve("big"));
    }
}
