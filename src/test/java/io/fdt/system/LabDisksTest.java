package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Quotas, a file system without holes, and a clock that is set: needs a kernel of its own. */
@Tag("lab")
final class LabDisksTest {
    private static final int MIB = 1 << 20;
    private static final String USER = "4321";

    @RegisterExtension
    final Workplace at = new Workplace();

    private Path tree = Path.of("unset");

    @BeforeEach
    void makeTree() {
        if (System.getenv("FDT_LAB") == null) {
            throw new AssertionError("this sets the clock of its machine: scripts/lab test runs it in one of its own");
        }
        tree = at.directory("tree");
        Trees.file(tree.resolve("big"), 6 * MIB, 1);
        Trees.manyFiles(tree.resolve("many"), 60, 20_000);
    }

    @AfterEach
    void unmount() {
        Shell.run("umount", "-l", at.path("remote"));
    }

    private Path mount(String size, String options, Object... make) {
        Path image = at.path("image");
        Shell.ok("truncate", "-s", size, image);
        List<Object> words = new ArrayList<>(List.of(make));
        words.add(image);
        Shell.ok(words.toArray());
        Shell.ok("modprobe", "loop");
        Shell.ok("mount", "-o", "loop" + options, image, at.directory("remote"));
        return at.path("remote");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bhard=3m", "ihard=20"})
    void aQuotaEndsTheCopyAndTheRerunCompletes(String limit) {
        Path disk = mount("320M", ",uquota", "mkfs.xfs", "-q");
        Shell.ok("xfs_quota", "-x", "-c", "limit " + limit + " " + USER, disk);
        Shell.ok("chown", USER, disk, at.directory("user-home"), at.directory("tmp"));
        at.environment("FDT_HOME", at.path("user-home").toString());
        Path target = disk.resolve("t");

        Outcome full = copyAsUser(tree + "/", target + "/").expectExit(5);
        assertThat(full.jsonOfType("error").get(0)).containsEntry("cause", "quota");
        FinalNames.missing(tree, null, target);

        Shell.ok("xfs_quota", "-x", "-c", "limit bhard=0 ihard=0 " + USER, disk);
        copyAsUser(tree + "/", target + "/").expectExit(0);
        assertThat(Trees.differences(tree, target, "--no-owner", "--no-group")).isEmpty();
    }

    /** The user may read everything, so that it does not matter where the jar is. */
    private Outcome copyAsUser(Object... arguments) {
        List<Object> words = new ArrayList<>(List.of("client", "--json"));
        words.addAll(List.of(arguments));
        List<String> command = List.of(
                "setpriv",
                "--reuid=" + USER,
                "--regid=" + USER,
                "--clear-groups",
                "--inh-caps=+dac_read_search",
                "--ambient-caps=+dac_read_search",
                "--");
        return at.startThrough(command, at.setup("user", words.toArray())).await(Workplace.LIMIT);
    }

    @Test
    void aSparseFileIsCompleteWhereThereAreNoHoles() {
        Path disk = mount("64M", "", "busybox", "mkdosfs");
        Path sparse = at.path("sparse");
        Shell.ok("truncate", "-s", "5M", sparse);
        Shell.ok("bash", "-c", "echo x >>" + sparse);

        Outcome copied = at.copy("--preserve", "none", sparse, disk + "/").expectExit(0);
        assertThat(copied.transcript()).contains("sparse: its file system does not store holes");
        Trees.assertSameFile(sparse, disk.resolve("sparse"));
    }

    /** It jumps while a copy runs, is killed, and runs again. */
    @Test
    void aClockThatIsSetBreaksNothing() {
        FdtServer server = at.server();
        Path target = server.root().resolve("t");
        FdtProcess client = at.startCopy("--rate-limit", "500k", tree + "/", server.url("/t/"));
        long moved = 1;
        for (String jump : List.of("+1 hour", "-2 hours", "+400 days", "-30 years", "+29 years")) {
            client.awaitAcknowledged(Workplace.LIMIT, moved);
            setClock(jump);
            moved += 256 << 10;
        }
        client.awaitAcknowledged(Workplace.LIMIT, moved);
        client.killHard();
        client.await(Workplace.LIMIT);
        FinalNames.missing(tree, null, target);

        setClock("-3 days");
        Await.until("the killed session has ended", Workplace.LIMIT, () -> {
            Outcome rerun = at.copy(tree + "/", server.url("/t/"));
            return rerun.exitCode() != 11 && rerun.expectExit(0).exitCode() == 0;
        });
        Trees.assertSame(tree, target);
        setClock("+5 years");
        assertThat(at.copy(tree + "/", server.url("/t/")).expectExit(0).number("bytes_sent"))
                .isZero();
    }

    private static void setClock(String jump) {
        Shell.ok("bash", "-c", "date -s \"$(date -d '" + jump + "' '+%F %T')\"");
    }
}
