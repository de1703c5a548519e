package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The test harness detects the failures that it is meant to detect. */
final class HarnessTest {

    @RegisterExtension
    final Workplace at = new Workplace();

    private FdtProcess shell(String script) {
        return at.track(FdtProcess.start(new FdtProcess.Setup(
                "shell", List.of("bash", "-c", script), Map.of("PATH", System.getenv("PATH")), at.directory())));
    }

    @Test
    void processGivesExitCodeAndAllItsLines() {
        Outcome outcome = shell("echo one; echo two; echo three >&2; exit 7").await(Workplace.LIMIT);
        assertThat(outcome.exitCode()).isEqualTo(7);
        assertThat(outcome.out()).containsExactly("one", "two");
        assertThat(outcome.err()).containsExactly("three");
        assertThatThrownBy(() -> outcome.expectExit(0)).hasMessageContaining("three");
    }

    @Test
    void hangingProcessIsKilledAndReported() {
        FdtProcess process = shell("echo here; exec sleep 60");
        process.awaitLine(Workplace.LIMIT, "here"::equals);
        assertThatThrownBy(() -> process.await(Duration.ofMillis(100))).hasMessageContaining("out| here");
        assertThat(process.isAlive()).isFalse();
    }

    @Test
    void missingLineIsReportedWhenTheOutputEnds() {
        FdtProcess process = shell("echo other");
        assertThatThrownBy(() -> process.awaitLine(Workplace.LIMIT, "wanted"::equals))
                .hasMessageContaining("other");
    }

    @Test
    void interruptReachesTheProcess() {
        FdtProcess process = shell("trap 'echo caught; exit 130' INT; echo ready; while :; do sleep 0.05; done");
        process.awaitLine(Workplace.LIMIT, "ready"::equals);
        process.signal("INT");
        assertThat(process.await(Workplace.LIMIT).expectExit(130).out()).contains("caught");
    }

    @Test
    void summaryMustComeOnceAndLast() {
        String start = "echo '{\"type\":\"start\"}';";
        String summary = "echo '{\"type\":\"summary\",\"exit_code\":0,\"files\":3}';";
        assertThat(shell(start + summary).await(Workplace.LIMIT).number("files"))
                .isEqualTo(3);
        assertThatThrownBy(() -> shell(summary + start).await(Workplace.LIMIT).summary())
                .hasMessageContaining("summary");
        assertThatThrownBy(() -> shell(summary + summary).await(Workplace.LIMIT).summary())
                .hasMessageContaining("summary");
        assertThatThrownBy(() -> shell(start).await(Workplace.LIMIT).summary()).hasMessageContaining("summary");
        assertThatThrownBy(
                        () -> shell(summary + "exit 3").await(Workplace.LIMIT).summary())
                .hasMessageContaining("exit code");
    }

    @Test
    void jsonIsReadStrictly() {
        Map<String, Object> object = Json.object("{\"a\": [1, -2.5e3, \"x\\u00e9\\n\", true, null, {}], \"b\":\"\"}");
        assertThat(object)
                .containsEntry("a", List.of(1L, -2500.0, "x\u00e9\n", true, Json.NULL, Map.of()))
                .containsEntry("b", "");
        for (String wrong : List.of(
                "{",
                "{}x",
                "{\"a\":01}",
                "{\"a\":NaN}",
                "{'a':1}",
                "{\"a\":1,}",
                "{\"a\":1,\"a\":2}",
                "[1]",
                "{\"a\":\"\t\"}",
                "")) {
            assertThatThrownBy(() -> Json.object(wrong)).as(wrong).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void judgeAcceptsACopyOfTheOddTreeAndSeesEachDifference() throws Exception {
        Path copy = at.path("copy");
        Shell.ok("rsync", "-aXS", OddTree.shared() + "/", copy);
        Trees.assertSame(OddTree.shared(), copy);
        Trees.assertSparseFilesStaySparse(OddTree.shared(), copy);
        Trees.assertNothingWrongUnderFinalNames(OddTree.shared(), copy);

        Path file = copy.resolve("sizes/s131073");
        FileTime time = Files.getLastModifiedTime(file);
        byte[] right = Files.readAllBytes(file);
        byte[] wrong = right.clone();
        wrong[131072] ^= 1;
        Files.write(file, wrong);
        Files.setLastModifiedTime(file, time);
        assertThat(Trees.differences(OddTree.shared(), copy))
                .contains("sizes/s131073")
                .hasLineCount(1);
        assertThatThrownBy(() -> Trees.assertNothingWrongUnderFinalNames(OddTree.shared(), copy))
                .hasMessageContaining("sizes/s131073");
        Files.write(file, right);
        Shell.ok("touch", "-d", "@1700000000.000000001", file);
        assertThat(Trees.differences(OddTree.shared(), copy))
                .contains("sizes/s131073")
                .hasLineCount(1);
        Files.delete(file);
        assertThatThrownBy(() -> Trees.assertSame(OddTree.shared(), copy)).hasMessageContaining("sizes/s131073");
        Trees.assertNothingWrongUnderFinalNames(OddTree.shared(), copy);

        Shell.ok("cp", "--sparse=never", copy.resolve("sparse/all"), copy.resolve("sparse/filled"));
        Shell.ok("mv", copy.resolve("sparse/filled"), copy.resolve("sparse/all"));
        assertThatThrownBy(() -> Trees.assertSparseFilesStaySparse(OddTree.shared(), copy))
                .hasMessageContaining("sparse/all");
    }
}
