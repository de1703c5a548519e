package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Leftovers of an earlier run are used only if they are valid: the next run completes, and the copied data is correct.
 */
@Tag("fault")
@Tag("full")
@Tag("disk")
final class JournalTest {
    private static final int MIB = 1 << 20;
    private static final long BIG_BYTES = 80L * MIB;
    private static final long SEED = Long.getLong("fdt.seed", 1);

    @RegisterExtension
    final Workplace at = new Workplace();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "journal: truncate -s -20",
                "journal: truncate -s 64",
                "journal: truncate -s 0",
                "journal: truncate -s +1000",
                "journal: garbage",
                "journal: flip record",
                "journal: flip header",
                "journal: flip stamp",
                "journal: rm",
                "part: rm",
                "part: truncate -s 10M",
                "part: truncate -s +10M",
                "part: flip",
                "part: replace"
            })
    void whatWasDamagedBetweenRunsIsNotTrusted(String damage) throws Exception {
        boolean both = new Random(SEED + damage.hashCode()).nextBoolean();
        Route route = killedInTheMiddle(both);
        Path victim = leftover(route, damage.startsWith("journal") ? ".journal" : ".part");
        damage(victim, damage.substring(damage.indexOf(' ') + 1));
        Outcome rerun = at.copy(route.source("big"), route.target("")).expectExit(0);
        Trees.assertSameFile(route.sourcePath("big"), route.targetPath("big"));
        System.err.printf(
                "%s, %s killed: %d bytes resumed, seed %d%n",
                damage, both ? "both" : "the client", rerun.number("bytes_resumed"), SEED);
        assertThat(Trees.listing(route.targetPath("")))
                .as("nothing is left over")
                .isEqualTo("./big\n");
    }

    /**
     * Starts a push of one file and kills the client, or client and server, in the middle. No process writes to the
     * partial afterwards, so a test can damage it as if between two runs.
     */
    private Route killedInTheMiddle(boolean both) {
        Route route = Route.of(at, Direction.PUSH);
        FaultProxy proxy = at.closing(FaultProxy.before(route.server().port())).throttle(40 * MIB);
        Trees.file(route.sourcePath("big"), BIG_BYTES, 1);
        Route slow = route.through(proxy);
        FdtProcess client = at.startCopy("-P", 3, "--timeout", "15s", slow.source("big"), slow.target(""));
        Await.until("50 MiB are under way", Workplace.LIMIT, () -> proxy.totalBytes() > 50 * MIB);
        client.killHard();
        Route next = route;
        if (both) {
            route.server().process().killHard();
            next = route.to(at.server());
        } else {
            route.server().process().awaitLine(Workplace.LIMIT, line -> line.contains("session_end"));
        }
        assertThat(route.targetPath("big")).doesNotExist();
        return next;
    }

    private static Path leftover(Route route, String ending) throws Exception {
        try (var files = Files.list(route.targetPath(""))) {
            List<Path> found =
                    files.filter(file -> file.toString().endsWith(ending)).toList();
            assertThat(found).as("one " + ending + " beside the target").hasSize(1);
            return found.get(0);
        }
    }

    private static void damage(Path file, String how) throws Exception {
        Random random = new Random(SEED);
        switch (how) {
            case "rm" -> Files.delete(file);
            case "garbage" ->
                Shell.ok(
                        "dd",
                        "if=/dev/urandom",
                        "of=" + file,
                        "bs=777",
                        "count=1",
                        "oflag=append",
                        "conv=notrunc",
                        "status=none");
            case "flip" -> flip(file, random.nextInt(8 * MIB));
            case "flip header" -> flip(file, random.nextInt(128));
            case "flip stamp" -> flip(file, 128 + random.nextInt(40));
            case "flip record" -> flip(file, 192 + random.nextInt(64));
            case "replace" -> {
                Path copy = file.resolveSibling("copy");
                Shell.ok("cp", "--sparse=always", "-p", file, copy);
                flip(copy, 3 * MIB);
                Shell.ok("mv", copy, file);
            }
            default -> {
                String[] words = how.split(" ", -1);
                Shell.ok(words[0], words[1], words[2], file);
            }
        }
    }

    private static void flip(Path file, long offset) {
        Shell.python(
                "import sys\nf=open(sys.argv[1],'r+b'); f.seek(int(sys.argv[2])); b=f.read(1)\nf.seek(-1,1); f.write(bytes([b[0]^16]))\n",
                file,
                offset);
    }
}
