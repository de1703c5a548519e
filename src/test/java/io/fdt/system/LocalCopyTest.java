package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A copy with both ends in one process gives the same result as a copy between two hosts. */
final class LocalCopyTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void copiesVerifiesAndSkipsWhatIsThere() throws IOException {
        Path tree = OddTree.create(at.directory("tree"));
        Trees.file(tree.resolve("big"), 20 * MIB + 17, 1);
        Files.createDirectories(at.path("real"));
        Files.createSymbolicLink(at.path("link"), at.path("real"));
        Path receipt = at.path("receipt.json");
        Path temporary = at.directory("tmp");
        at.environment("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary);

        Outcome first = at.copy("--preserve", "all", "--receipt", receipt, tree, at.path("link/run7/"))
                .expectExit(0);

        Trees.assertSame(tree, at.path("real/run7/tree"));
        assertThat(first.number("bytes_sent")).isPositive();
        assertThat(String.valueOf(first.summary().get("digest"))).startsWith("xxh3-128:");
        assertThat(String.valueOf(first.jsonOfType("start").get(0).get("transport")))
                .isEqualTo("memory, clear");
        at.fdt("verify", "--receipt", receipt, at.path("real/run7")).expectExit(0);

        Outcome again =
                at.copy("--preserve", "all", tree, at.path("link/run7/")).expectExit(0);
        assertThat(again.number("bytes_sent")).isZero();
        assertThat(again.number("files_skipped")).isEqualTo(first.number("files"));
        assertNoKeyIn(temporary);
    }

    /** It would be a way into a process that may write all that its user may. */
    @Test
    void opensNothingThatAnotherProcessCouldConnectTo() throws IOException {
        Path big = Trees.file(at.path("big"), 60L * MIB, 1);
        FdtProcess client = at.startCopy("--rate-limit", "10MiB", big, at.directory("there"));
        client.awaitAcknowledged(Workplace.LIMIT, 8L * MIB);

        Set<String> sockets = socketsOf(client.pid());
        List<String> addresses = new ArrayList<>();
        for (String table : List.of("tcp", "tcp6", "udp", "udp6", "unix")) {
            for (String line : Files.readAllLines(Path.of("/proc/net/" + table))) {
                boolean named = !table.equals("unix") || line.contains("@") || line.contains("/");
                if (named && Stream.of(line.split(" ")).anyMatch(sockets::contains)) {
                    addresses.add(line);
                }
            }
        }
        client.killHard();
        client.await(Workplace.LIMIT);

        assertThat(addresses).isEmpty();
    }

    /** The numbers by which the kernel's tables name them. */
    private static Set<String> socketsOf(long pid) throws IOException {
        Set<String> numbers = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                String open = Files.readSymbolicLink(descriptor).toString();
                if (open.startsWith("socket:[")) {
                    numbers.add(open.substring("socket:[".length(), open.length() - 1));
                }
            }
        }
        return numbers;
    }

    private static void assertNoKeyIn(Path temporary) throws IOException {
        try (Stream<Path> left = Files.list(temporary)) {
            assertThat(left.filter(path -> path.getFileName().toString().startsWith("fdt-once")))
                    .as("the key of the copy")
                    .isEmpty();
        }
    }

    @Test
    void resumesAfterAKillWhichLeavesNoKey() throws IOException {
        Path temporary = at.directory("tmp");
        at.environment("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary);
        Path big = Trees.file(at.path("big"), 120L * MIB + 99, 1);
        FdtProcess client = at.startCopy("--rate-limit", "10MiB", big, at.directory("there"));
        client.awaitAcknowledged(Workplace.LIMIT, 8L * MIB);
        client.killHard();
        client.await(Workplace.LIMIT);
        assertThat(at.path("there/big")).doesNotExist();
        assertNoKeyIn(temporary);

        Outcome rerun = at.copy(big, at.path("there")).expectExit(0);

        assertThat(rerun.number("bytes_resumed")).isGreaterThanOrEqualTo(8L * MIB);
        assertThat(at.path("there/big")).hasSameBinaryContentAs(big);
    }

    @Test
    void mirrorsAndRefusesToCopyIntoItself() throws IOException {
        Path tree = at.directory("tree");
        Trees.manyFiles(tree, 40, 3000);
        Path mirror = at.directory("mirror");
        Files.writeString(mirror.resolve("old"), "x");
        Outcome done = at.copy("--delete", tree + "/", mirror).expectExit(0);
        assertThat(done.number("files_deleted")).isEqualTo(1);
        Trees.assertSame(tree, mirror);

        Outcome inside = at.copy(tree, tree.resolve("backup")).expectExit(2);
        assertThat(inside.errText()).contains("lies inside it");
        assertThat(tree.resolve("backup")).doesNotExist();
        assertThat(at.copy(tree, at.path(".")).expectExit(2).errText()).contains("the source directory itself");
    }
}
