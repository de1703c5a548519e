package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A planner that is killed at any moment leaves nothing that another command accepts as a job, and nothing that
 * prevents the next planner from succeeding.
 */
@Tag("full")
final class PlanKillTest {
    /**
     * Each shard is flushed before the next one begins. Writing all of them therefore takes much longer than detecting
     * a file and killing the planner.
     */
    private static final int SHARDS = 500;

    private static final int DIRECTORIES = 12;
    private static final int LINKS = 2000;
    private static final Duration LIMIT = Duration.ofMinutes(2);

    @RegisterExtension
    final Workplace at = new Workplace();

    private Path tree;

    /** Few files with many names, which are fast to create. */
    @BeforeEach
    void makeTree() throws IOException {
        tree = at.directory("tree");
        for (int directory = 0; directory < DIRECTORIES; directory++) {
            Path files = Files.createDirectory(tree.resolve("d" + directory));
            Path first = Files.write(files.resolve("f0"), new byte[1000 + 100 * directory]);
            for (int link = 1; link < LINKS; link++) {
                Files.createLink(files.resolve("f" + link), first);
            }
        }
    }

    private Object[] plan(Path out) {
        return new Object[] {"shard", "plan", "--json", tree, "--into", SHARDS, "--out", out};
    }

    private static String shard(int number) {
        return String.format(Locale.ROOT, "shard-%04d", number);
    }

    /** Runs the planner, and kills it as soon as the file exists. */
    private void killOnceThereIs(String name, Path out) {
        FdtProcess planner = at.start("planner", plan(out));
        Path seen = out.resolve(name);
        Await.until(name + " is there", LIMIT, () -> Files.exists(seen) || !planner.isAlive());
        planner.killHard();
        assertThat(planner.await(LIMIT).exitCode()).as("killed at %s", name).isEqualTo(137);
    }

    private void assertRefusedByAll(Path out) {
        List<Object[]> commands =
                List.of(new Object[] {"shard", "status", out}, new Object[] {"shard", "finish", out}, new Object[] {
                    "client", "--shard", out.resolve("0"), "fdt://127.0.0.1:1/in/"
                });
        for (Object[] command : commands) {
            assertThat(at.fdt(command).expectExit(2).errText())
                    .contains("contains an unfinished plan")
                    .contains("run the same fdt shard plan again");
        }
    }

    /** Returns the files of a plan with their contents, except for the lock of the planner. */
    private static Map<String, String> contents(Path directory) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(each -> !each.endsWith("lock"))
                    .sorted(Comparator.naturalOrder())
                    .toList()) {
                contents.put(file.getFileName().toString(), Trees.text(file));
            }
        }
        return contents;
    }

    @Test
    void planThatWasKilledAtAnyMomentIsRefusedAndReplacedByTheSameCommand() throws IOException {
        Path undisturbed = at.path("undisturbed");
        at.fdt(plan(undisturbed)).expectExit(0);
        Map<String, String> wanted = contents(undisturbed);
        assertThat(wanted).hasSize(SHARDS + 1).containsKey("job");
        Path out = at.path("job");
        // During the walk, between the first shards, and in the middle. Each planner starts from the leftovers of the
        // one before.
        for (String moment : List.of("spool", shard(1), shard(SHARDS / 2))) {
            killOnceThereIs(moment, out);
            assertRefusedByAll(out);
        }
        at.fdt(plan(out)).expectExit(0);
        assertThat(contents(out)).isEqualTo(wanted);
        // A complete plan whose shards were never run is discarded as soon as another planner begins to replace it.
        killOnceThereIs("spool", out);
        assertRefusedByAll(out);
        at.fdt(plan(out)).expectExit(0);
        assertThat(contents(out)).isEqualTo(wanted);
    }

    @Test
    void planKilledAtItsEndIsCompleteOrAbsent() throws IOException {
        Path out = at.path("job");
        FdtProcess planner = at.start("planner", plan(out));
        Path last = out.resolve(shard(SHARDS - 1));
        Await.until("the last shard is there", LIMIT, () -> Files.exists(last) || !planner.isAlive());
        planner.killHard();
        if (Files.exists(out.resolve("job"))) {
            assertThat(at.fdt("shard", "status", "--json", out).expectExit(0).number("shards_waiting"))
                    .isEqualTo(SHARDS);
            assertThat(at.fdt("shard", "finish", "--json", out).expectExit(6).number("entries_missing"))
                    .isEqualTo(1 + DIRECTORIES * (1 + LINKS));
        } else {
            assertRefusedByAll(out);
        }
        at.fdt(plan(out)).expectExit(0);
        assertThat(at.fdt("shard", "status", "--json", out).expectExit(0).number("shards_waiting"))
                .isEqualTo(SHARDS);
    }

    @Test
    void planThatIsInterruptedIsRefusedAndReplaced() throws IOException {
        Path out = at.path("job");
        FdtProcess planner = at.start("planner", plan(out));
        Await.until("the spool is there", LIMIT, () -> Files.exists(out.resolve("spool")) || !planner.isAlive());
        planner.signal("INT");
        assertThat(planner.await(LIMIT).exitCode()).isEqualTo(130);
        assertRefusedByAll(out);
        at.fdt(plan(out)).expectExit(0);
        at.fdt("shard", "status", out).expectExit(0);
    }
}
