package io.fdt.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.CommandRun;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Location;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server for each shard, for every way to specify the servers. */
final class ShardRequestTest {
    @TempDir
    Path temp;

    private static List<String> urls(List<Location> targets) {
        return targets.stream().map(each -> each.side() + each.path().display()).toList();
    }

    private static List<String> targets(String operand) {
        return urls(ShardRequest.targets(List.of(operand), null));
    }

    @Test
    void acceptsASingleServer() {
        assertThat(targets("fdt://a:1/in/")).isEqualTo(urls(List.of(location("fdt://a:1/in/"))));
    }

    private static Location location(String text) {
        try {
            return Location.parse(text);
        } catch (BadValueException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void splitsServersButNotPathsAtCommas() {
        List<String> both = urls(List.of(location("fdt://a:1/in/"), location("fdt://b:2/in/")));
        assertThat(targets("fdt://a:1/in/,fdt://b:2/in/")).isEqualTo(both);
        assertThat(targets("fdt://a:1,b:2/in/")).isEqualTo(both);
        assertThat(targets("fdt://a:1/in,out")).isEqualTo(urls(List.of(location("fdt://a:1/in,out"))));
        assertThat(targets("fdt://a:1/x,fdt://b:2/y"))
                .isEqualTo(urls(List.of(location("fdt://a:1/x"), location("fdt://b:2/y"))));
    }

    @Test
    void mapLinesWithoutAPathUseTheTargetsPath() throws IOException {
        Path map = Files.writeString(temp.resolve("map"), "a:1\n# not this one\n\nfdt://b:2\nfdt://c:3/other/\n");
        List<String> expected =
                urls(List.of(location("fdt://a:1/in/"), location("fdt://b:2/in/"), location("fdt://c:3/other/")));
        assertThat(urls(ShardRequest.targets(List.of("/in/"), map))).isEqualTo(expected);
        assertThat(urls(ShardRequest.targets(List.of("fdt://whoever/in/"), map)))
                .isEqualTo(expected);
        Path full = Files.writeString(temp.resolve("full"), "fdt://c:3/other/\n");
        assertThat(urls(ShardRequest.targets(List.of(), full))).isEqualTo(expected.subList(2, 3));
    }

    @Test
    void refusesMissingOrInvalidTargets() throws IOException {
        Path empty = Files.writeString(temp.resolve("empty"), "# nothing\n");
        assertRefused("no target", List.of(), null);
        assertRefused("has its own sources", List.of("src", "fdt://a/in"), null);
        assertRefused("a shard is copied to a server", List.of("/in"), null);
        assertRefused("names no server", List.of("/in"), empty);
        assertRefused("write their common path", List.of("in"), empty);
        assertRefused("not an address", List.of("fdt://a,,b/in"), null);
    }

    private static void assertRefused(String why, List<String> operands, Path map) {
        assertThatThrownBy(() -> ShardRequest.targets(operands, map))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.USAGE))
                .hasMessageContaining(why);
    }

    @Test
    void shardWithoutAJobAndAMapWithoutAShardAreRefused() {
        CommandRun noJob = new CommandRun();
        assertThat(noJob.run("client", "--shard", temp.resolve("3").toString(), "fdt://a/in"))
                .isEqualTo(2);
        assertThat(noJob.err()).contains("contains no job");
        CommandRun alone = new CommandRun();
        assertThat(alone.run("client", "--target-map", "x", "src", "fdt://a/in"))
                .isEqualTo(2);
        assertThat(alone.err()).contains("--target-map applies only to --shard");
    }

    @Test
    void planRequiresSourcesCountAndDirectory() {
        for (String[] args : new String[][] {
            {"shard", "plan", "--into", "3", "--out", "x"},
            {"shard", "plan", "src", "--out", "x"},
            {"shard", "plan", "src", "--into", "3"},
            {"shard", "plan", "src", "--into", "0", "--out", "x"},
            {"shard", "plan", "fdt://h/x", "--into", "3", "--out", "x"},
            {"shard", "plan", "src", "--into", "3", "--out", "x", "--new-key", "k"},
            {"shard", "plan", "src", "--into", "3", "--out", "x", "--key-expires", "1h"},
            {"shard", "finish"},
            {"shard", "status", "a", "b"},
            {"shard"},
            {"shard", "plane"}
        }) {
            assertThat(new CommandRun().run(args)).as(String.join(" ", args)).isEqualTo(2);
        }
    }

    @Test
    void sizeToCutAtIsRefusedWithItsBound() {
        CommandRun small = new CommandRun();
        assertThat(small.run("shard", "plan", "src", "--into", "3", "--out", "x", "--split-above", "1K"))
                .isEqualTo(2);
        assertThat(small.err()).contains("--split-above '1K': too small; at least 8MiB");
    }

    @Test
    void unfinishedPlanIsNoJobToAnyCommand() throws IOException {
        Path job = Files.createDirectory(temp.resolve("job"));
        Files.createFile(job.resolve("spool"));
        for (String[] args : new String[][] {
            {"client", "--shard", job.resolve("0").toString(), "fdt://a/in"},
            {"client", "--shard", job.resolve("shard-0000").toString(), "fdt://a/in"},
            {"shard", "status", job.toString()},
            {"shard", "finish", job.toString()},
            {"shard", "finish", "--again", job.toString(), "fdt://a/in"}
        }) {
            CommandRun run = new CommandRun();
            assertThat(run.run(args)).as(String.join(" ", args)).isEqualTo(2);
            assertThat(run.err()).contains("contains an unfinished plan").contains("run the same fdt shard plan again");
        }
    }

    @Test
    void nameOfAKeyThatIsThereIsRefusedBeforeAnythingIsPlanned() throws IOException {
        Path out = temp.resolve("out");
        Path source = Files.createDirectory(temp.resolve("src"));
        String[] args = {
            "shard",
            "plan",
            source.toString(),
            "--into",
            "1",
            "--out",
            out.toString(),
            "--new-key",
            "run7",
            "--key-root",
            "/in"
        };
        CommandRun twice =
                new CommandRun().environment("FDT_HOME", temp.resolve("home").toString());
        assertThat(twice.run(args)).isZero();
        assertThat(out.resolve("key")).exists();
        Files.delete(out.resolve("job"));
        assertThat(twice.run(args)).isEqualTo(2);
        assertThat(twice.err()).contains("fdt key revoke run7");
        assertThat(out.resolve("job")).doesNotExist();
    }
}
