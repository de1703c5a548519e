package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies that write the same files at the same time: one completes, and the others report why they do not. */
class SameTargetTest {
    private static final int BUSY = 11;

    @TempDir
    Path directory;

    private Path root;
    private Path tree;

    @BeforeEach
    void makeTrees() throws IOException {
        root = Files.createDirectories(directory.resolve("root"));
        tree = Files.createDirectories(directory.resolve("tree"));
        for (int i = 0; i < 8; i++) {
            Files.write(tree.resolve("big" + i), new byte[3 << 20]);
        }
        for (int i = 0; i < 50; i++) {
            Files.writeString(tree.resolve("small" + i), "small " + i);
        }
    }

    /** A session that only comes to files when another one has ended them may complete as well. */
    @Test
    void atLeastOneOfThreePushesOfATreeCompletes() throws Exception {
        assertThat(completed(TestPlan.push(tree, "/in/").rate(25_000_000), "/in/tree/small49"))
                .isPositive();
    }

    @Test
    void oneOfThreePushesOfAFileCompletes() throws Exception {
        assertThat(completed(TestPlan.push(tree.resolve("big0"), "/one").rate(4_000_000), "/one"))
                .isOne();
    }

    /** How many of three pushes at once complete; all others end for them, and the last file is there. */
    private long completed(TestPlan plan, String last) throws Exception {
        try (TestServer server = new TestServer(directory.resolve("home"), root)) {
            List<TransferJob> copies = new ArrayList<>();
            List<Summary> summaries = new ArrayList<>();
            CountDownLatch allOpen = new CountDownLatch(3);
            server.whenOpened = session -> {
                allOpen.countDown();
                Await.until("all three sessions are open", allOpen);
            };
            for (int i = 0; i < 3; i++) {
                copies.add(server.start(null, plan));
            }
            for (TransferJob copy : copies) {
                summaries.add(copy.await());
            }
            copies.forEach(TransferJob::close);
            assertThat(summaries)
                    .filteredOn(each -> each.failure() != null)
                    .allSatisfy(each ->
                            assertThat(each.failure().exitCode()).as("%s", each).isEqualTo(BUSY))
                    .allSatisfy(each -> assertThat(each.message()).contains("another copy is writing"));
            assertThat(root.resolve(last.substring(1))).exists();
            return summaries.stream().filter(each -> each.failure() == null).count();
        }
    }

    /** Copies of other files to the same directory do not exclude each other. */
    @Test
    void pushesOfOtherFilesToTheSameDirectoryAllComplete() throws Exception {
        try (TestServer server = new TestServer(directory.resolve("home"), root)) {
            List<TransferJob> copies = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                copies.add(server.start(
                        null, TestPlan.push(tree.resolve("big" + i), "/in/").rate(100_000_000)));
            }
            for (TransferJob copy : copies) {
                assertThat(copy.await().failure()).isNull();
                copy.close();
            }
        }
    }

    /** A user who runs a command again after a crash does not have to wait until the server notices the crash. */
    @Test
    void theSameClientTakesOverFromItsOwnLostSession() throws Exception {
        try (TestServer server = new TestServer(directory.resolve("home"), root)) {
            TestPlan plan = TestPlan.push(tree, "/in/").rate(50_000_000);
            try (TransferJob first = server.start(null, plan)) {
                Await.until("it runs", () -> first.progress().bytes().moved().durable() > 0);
                first.interrupt(Failure.of(Cause.INTERRUPTED, "stopped by its user"));
                assertThat(server.run(plan.rate(0)).failure()).isNull();
                assertThat(first.await().kind()).isEqualTo(FailureKind.INTERRUPTED);
            }
        }
    }
}
