package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Copies of the same files through two servers that export the same directory: the oldest one completes. */
final class TwoServersTest {
    private static final int MIB = 1 << 20;
    private static final int CRAWL = 16 << 10;

    @RegisterExtension
    final Workplace at = new Workplace();

    private Path root;
    private FdtServer one;
    private FdtServer two;

    @BeforeEach
    void startServers() {
        one = at.server();
        root = one.root();
        two = at.rootlessServer("127.0.0.1:0", root, "--root", root);
    }

    /** The first copy has a part of the large file, and most files before and after it are still missing. */
    @Test
    void theOthersEndWith11OrWaitWithRetry() {
        Path source = at.directory("local/tree");
        Trees.small(source.resolve("a"), 1);
        Trees.file(source.resolve("big"), 40L * MIB, 2);
        Trees.small(source.resolve("c"), 3);
        FaultProxy proxy = at.closing(FaultProxy.before(one.port())).throttle(6 * MIB);
        FdtProcess first = at.startCopy("-P", 2, "--timeout", "10m", source, one.urlAt(proxy.port(), "/"));
        Await.until("the large file is under way", Workplace.LIMIT, () -> hasJournal(root.resolve("tree")));
        proxy.throttle(CRAWL);
        FdtProcess patient = at.startCopy("--retry", "20m", source, two.url("/"));
        patient.awaitErrorLine(Workplace.LIMIT, line -> line.contains("attempt 1 failed"));
        for (FdtServer server : new FdtServer[] {one, two}) {
            Outcome refused = at.copy(source, server.url("/"));
            assertThat(refused.exitCode()).as(refused.transcript()).isEqualTo(11);
            assertThat(refused.transcript()).contains("another copy is writing this target");
        }
        proxy.throttle(0);
        first.await(Workplace.LIMIT).expectExit(0);
        assertThat(patient.await(Workplace.LIMIT).expectExit(0).number("attempts"))
                .isGreaterThan(1);
        Trees.assertSame(source, root.resolve("tree"));
        assertNothingLeft();
    }

    /** The kernel releases what a killed server had locked. */
    @Test
    void theOlderCopyCompletesAfterTheServerOfTheYoungerOneIsKilled() {
        Path source = at.directory("local/tree");
        Trees.file(source.resolve("x"), 40L * MIB, 1);
        Trees.file(source.resolve("y"), 40L * MIB, 2);
        FaultProxy slow = at.closing(FaultProxy.before(one.port())).throttle(MIB / 4);
        FdtProcess older = at.startCopy("-P", 1, source, one.urlAt(slow.port(), "/"));
        Await.until("the older one has begun", Workplace.LIMIT, () -> hasJournal(root.resolve("tree")));
        slow.throttle(CRAWL);
        // Its one lane is in the first chunk of one file, and has not begun the other one.
        String rest = Files.exists(root.resolve(
                        "tree/" + PartialNames.of(RawPath.ofText("x")).journal()))
                ? "y"
                : "x";
        FaultProxy other = at.closing(FaultProxy.before(two.port())).throttle(2 * MIB);
        FdtProcess younger =
                at.startCopy("-P", 1, "--chunk-size", "1MiB", source.resolve(rest), two.urlAt(other.port(), "/tree/"));
        younger.awaitAcknowledged(Workplace.LIMIT, MIB);
        other.throttle(CRAWL);
        slow.throttle(0);
        older.awaitAcknowledged(Workplace.LIMIT, 8 * MIB);
        assertThat(root.resolve("tree/" + rest)).doesNotExist();
        two.process().killHard();
        older.await(Workplace.LIMIT).expectExit(0);
        Trees.assertSame(source, root.resolve("tree"));
        assertNothingLeft();
        younger.close();
    }

    private static boolean hasJournal(Path directory) {
        try (var names = Files.newDirectoryStream(directory, ".fdt.*.journal")) {
            return names.iterator().hasNext();
        } catch (IOException notThereYet) {
            return false;
        }
    }

    /** A server removes the files of a session after its client has ended. */
    private void assertNothingLeft() {
        Await.until("nothing is left", Workplace.LIMIT, () -> {
            try (var files = Files.walk(root)) {
                return files.noneMatch(file -> file.getFileName().toString().startsWith(".fdt."));
            } catch (IOException | UncheckedIOException changing) {
                return false;
            }
        });
    }
}
