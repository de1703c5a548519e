package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.system.Fault.Way;
import io.fdt.system.Route.Direction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole trees with every unusual case arrive unchanged, in both directions, over any number of lanes. */
@Order(3)
@Tag("disk")
final class TreeTest {
    private static final String PRESERVE_ALL = "--preserve=mode,times,links,xattrs,owner";
    private static final String PATCHES = """
            import sys
            with open(sys.argv[1], "r+b") as f:
                for at in (0, 1 << 32, (4 << 40) + 12345, (5 << 40) - 4):
                    f.seek(at)
                    f.write(b"data")
            """;
    private static final String NONZERO = """
            import os, sys
            with open(sys.argv[1], "rb") as f:
                at, size = 0, os.fstat(f.fileno()).st_size
                print(size)
                while at < size:
                    try: at = os.lseek(f.fileno(), at, os.SEEK_DATA)
                    except OSError: break
                    end = os.lseek(f.fileno(), at, os.SEEK_HOLE)
                    f.seek(at)
                    while at < end:
                        piece = f.read(min(4096, end - at))
                        if piece.strip(b"\\0"): print(at, piece.strip(b"\\0"))
                        at += len(piece)
            """;
    private static final int MIB = 1 << 20;

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @RegisterExtension
    final Workplace at = new Workplace(SERVER);

    @ParameterizedTest
    @CsvSource({"PUSH,1", "PUSH,4", "PUSH,16", "PULL,1", "PULL,4", "PULL,16"})
    void oddTreeArrivesIdentical(Direction direction, int lanes) {
        Path odd = OddTree.shared();
        Path target;
        Outcome outcome;
        if (direction == Direction.PUSH) {
            FdtServer server = at.server("--mode-mask", "000");
            target = server.root().resolve("copy");
            outcome = at.copy("-P", lanes, PRESERVE_ALL, odd + "/", server.url("/copy/"));
        } else {
            FdtServer server = at.rootlessServer("127.0.0.1:0", odd, "--root", odd, "--read-only");
            target = at.path("copy");
            outcome = at.copy("-P", lanes, PRESERVE_ALL, server.url("/"), target + "/");
        }
        outcome.expectExit(0);
        Trees.assertSame(odd, target);
        Trees.assertSparseFilesStaySparse(odd, target);
        assertThat(outcome.number("lanes")).isEqualTo(lanes);
        assertThat(outcome.number("files_failed")).isZero();
        assertThat(outcome.number("bytes_resent")).isZero();
    }

    /** In a push, a pull and a copy within this host. */
    @ParameterizedTest
    @ValueSource(strings = {"push", "pull", "local"})
    void linksToDirectoriesAreKeptOnRequest(String way) throws Exception {
        Route route = Route.of(at, way.equals("pull") ? Direction.PULL : Direction.PUSH);
        Path tree = Trees.small(route.sourcePath("tree"), 1);
        Path target = way.equals("local") ? at.directory("here") : route.targetPath("");
        Object to = way.equals("local") ? target + "/" : route.target("");
        Files.createDirectories(target.resolve("disk"));
        Path link = Files.createSymbolicLink(target.resolve("tree"), Path.of("disk"));

        at.copy("--keep-dirlinks", route.source("tree"), to).expectExit(0);
        assertThat(Files.isSymbolicLink(link)).isTrue();
        Trees.assertSame(tree, target.resolve("disk"));

        at.copy(route.source("tree"), to).expectExit(0);
        assertThat(Files.isSymbolicLink(link)).isFalse();
        Trees.assertSame(tree, link);
    }

    @EachWay
    void ownersArriveWhenAskedFor(Direction direction) {
        Route route = Route.of(at, direction);
        Path tree = Trees.small(route.sourcePath("tree"), 1);
        Shell.ok("chown", "-h", "12345:54321", tree.resolve("one.dat"), tree.resolve("link"), tree.resolve("void"));
        at.copy("--preserve=mode,times,links,owner", route.source("tree"), route.target(""))
                .expectExit(0);
        Trees.assertSame(tree, route.targetPath("tree"));
    }

    @Test
    void setuidAndSetgidAreNotGivenWithoutTheOwner() {
        Route route = Route.of(at, Direction.PUSH);
        Path file = Trees.file(route.sourcePath("f"), 10, 1);
        Shell.ok("chmod", "6755", file);
        at.copy(file, route.target("")).expectExit(0);
        assertThat(Shell.ok("stat", "-c", "%a", route.targetPath("f")).strip()).isEqualTo("755");
    }

    @Test
    void modesAndTimesAreNotPreservedUnlessRequested() throws Exception {
        Route route = Route.of(at, Direction.PUSH);
        Path file = Trees.file(route.sourcePath("f"), 10, 1);
        Shell.ok("touch", "-d", "@1000000000", file);
        Shell.ok("chmod", "4711", file);
        at.copy("--preserve=links", file, route.target("")).expectExit(0);
        assertThat(Shell.ok("stat", "-c", "%a", route.targetPath("f")).strip()).isNotEqualTo("4711");
        assertThat(Files.getLastModifiedTime(route.targetPath("f")).toMillis()).isGreaterThan(1_500_000_000_000L);
    }

    @EachWay
    void hugeSparseFileArrivesWithoutItsHoles(Direction direction) {
        Route route = Route.of(at, direction);
        Path source = route.sourcePath("huge");
        Path target = route.targetPath("huge");
        Shell.ok("truncate", "-s", "5T", source);
        Shell.python(PATCHES, source);
        at.copy("-P", 4, route.source("huge"), route.target("")).expectExit(0);
        assertThat(Shell.python(NONZERO, target))
                .isEqualTo(Shell.python(NONZERO, source))
                .hasLineCount(5);
    }

    @EachWay
    @Tag("full")
    void oneBigFileUsesAllLanes(Direction direction) {
        Route direct = Route.of(at, direction);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Trees.file(route.sourcePath("big"), 160 * MIB, 1);
        proxy.throttle(200 * MIB);
        at.copy("-P", 4, route.source("big"), route.target("")).expectExit(0);
        Trees.assertSameFile(route.sourcePath("big"), route.targetPath("big"));
        assertThat(carried(proxy, direction).filter(bytes -> bytes > 16 * MIB).count())
                .as(proxy.describe())
                .isEqualTo(4);
    }

    @Test
    @Tag("full")
    void slowLaneGetsLessWork() {
        Route direct = Route.of(at, Direction.PUSH);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Trees.file(route.sourcePath("big"), 256 * MIB, 1);
        proxy.when(20 * MIB, () -> proxy.connections().get(1).throttle(4 * MIB));
        at.copy("-P", 4, route.source("big"), route.target("")).expectExit(0);
        Trees.assertSameFile(route.sourcePath("big"), route.targetPath("big"));
        List<Long> bytes = carried(proxy, Direction.PUSH).toList();
        assertThat(proxy.connections().get(1).bytes(Way.TO_SERVER))
                .as(proxy.describe())
                .isEqualTo(
                        bytes.stream().filter(b -> b > MIB).min(Long::compare).orElseThrow());
        // An even share would be 64 MiB.
        assertThat(proxy.connections().get(1).bytes(Way.TO_SERVER)).isLessThan(48 * MIB);
    }

    private static Stream<Long> carried(FaultProxy proxy, Direction direction) {
        Way way = direction == Direction.PUSH ? Way.TO_SERVER : Way.TO_CLIENT;
        return proxy.connections().stream().map(connection -> connection.bytes(way));
    }

    @EachWay
    @Tag("full")
    void twentyThousandSmallFilesArrive(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.manyFiles(route.sourcePath("many"), 20_000, 4096);
        Outcome outcome = at.copy(route.source("many"), route.target("")).expectExit(0);
        Trees.assertSame(route.sourcePath("many"), route.targetPath("many"));
        assertThat(outcome.number("files")).isEqualTo(20_000);
        assertThat(outcome.number("bytes")).isEqualTo(20_000L * 4096);
    }

    @Test
    @Tag("clock")
    void smallFilesCostNoRoundTripEach() {
        Route direct = Route.of(at, Direction.PUSH);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Trees.manyFiles(route.sourcePath("many"), 5000, 1000);
        proxy.delay(Duration.ofMillis(25));
        Outcome outcome =
                at.copy("-P", 2, route.source("many"), route.target("")).expectExit(0);
        Trees.assertSame(route.sourcePath("many"), route.targetPath("many"));
        // A round trip takes at least 50 ms. One round trip for each file would take 250 s, or 125 s over two lanes.
        assertThat(outcome.seconds()).isLessThan(60);
    }

    @Test
    void sourceNamesOnTheCommandLineMayBeAnyBytes() {
        Route route = Route.of(at, Direction.PUSH);
        String script = """
                set -e
                mkdir "$1"; cd "$1"; shift
                names=($'\\303\\274mlaut' $'\\377\\376 bytes' $'new\\nline' ' blank ')
                for name in "${names[@]}"; do printf %s "$name" >"$name"; done
                url=${!#}; set -- "${@:1:$#-1}"
                exec "$@" "${names[@]}" "$url"
                """;
        FdtProcess.Setup setup = at.setup("client", "client", route.target("names/"));
        List<String> words = new ArrayList<>(
                List.of("bash", "-c", script, "bash", at.path("odd").toString()));
        words.addAll(setup.command());
        // The environment sets no locale, as in a container, so the JVM can decode only ASCII names.
        at.track(FdtProcess.start(new FdtProcess.Setup("client", words, setup.environment(), setup.directory())))
                .await(Workplace.LIMIT)
                .expectExit(0);
        assertThat(Trees.differences(at.path("odd"), route.targetPath("names"), "--no-times"))
                .isEmpty();
    }

    @Test
    void namesThatLookLikeOptionsAreSources() {
        Route route = Route.of(at, Direction.PUSH);
        Trees.file(at.path("home/-rf"), 10, 1);
        Trees.file(at.path("home/fdt:x"), 10, 2);
        at.copy("--", at.path("home") + "/-rf", at.path("home/fdt:x"), route.target(""))
                .expectExit(0);
        Trees.assertSameFile(at.path("home/-rf"), route.targetPath("-rf"));
        Trees.assertSameFile(at.path("home/fdt:x"), route.targetPath("fdt:x"));
    }

    @Test
    void reportsSpecialFilesWithoutHanging() {
        Route route = Route.of(at, Direction.PUSH);
        Path tree = Trees.small(route.sourcePath("tree"), 1);
        Shell.ok("mkfifo", tree.resolve("pipe"));
        Shell.ok("mknod", tree.resolve("device"), "c", 1, 3);
        Outcome outcome = at.copy(route.source("tree"), route.target(""));
        outcome.expectExit(0);
        assertThat(outcome.transcript()).contains("pipe").contains("device");
        Shell.ok("rm", tree.resolve("pipe"), tree.resolve("device"));
        assertThat(Trees.differences(tree, route.targetPath("tree"), "--omit-dir-times"))
                .isEmpty();
    }

    @EachWay
    void whatStandsInTheTargetAndIsNotOfTheSourceStays(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        Trees.file(route.targetPath("tree/mine"), 100, 5);
        Trees.file(route.targetPath("tree/sub/mine"), 100, 6);
        at.copy(route.source("tree"), route.target("")).expectExit(0);
        assertThat(route.targetPath("tree/mine")).hasSize(100);
        assertThat(route.targetPath("tree/sub/mine")).hasSize(100);
        Trees.assertSameFile(route.sourcePath("tree/one.dat"), route.targetPath("tree/one.dat"));
    }

    @EachWay
    void directoryIsNotReplacedByAFile(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        Trees.file(route.targetPath("tree/one.dat/precious"), 100, 5);
        Outcome outcome = at.copy(route.source("tree"), route.target("")).expectExit(3);
        assertThat(outcome.number("files_failed")).isEqualTo(1);
        assertThat(route.targetPath("tree/one.dat/precious")).hasSize(100);
        Trees.assertSameFile(route.sourcePath("tree/sub/two.dat"), route.targetPath("tree/sub/two.dat"));
    }

    @EachWay
    void linkInTheTargetIsReplacedAndNotFollowed(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        Path outside = Trees.file(at.path("outside"), 100, 5);
        byte[] before = Files.readAllBytes(outside);
        Files.createDirectories(route.targetPath("tree"));
        Files.createSymbolicLink(route.targetPath("tree/one.dat"), outside);
        at.copy(route.source("tree"), route.target("")).expectExit(0);
        assertThat(outside).hasBinaryContent(before);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
    }

    @ParameterizedTest
    @CsvSource({"xxh3,xxh3", "crc32c,crc32c", "sha256,sha256", "none,''"})
    @Tag("full")
    void everyDigestCopiesRight(String digest, String label) {
        Route route = Route.of(at, Direction.PUSH);
        Trees.small(route.sourcePath("tree"), 1);
        Outcome outcome = at.copy("--digest", digest, route.source("tree"), route.target(""))
                .expectExit(0);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
        if (label.isEmpty()) {
            assertThat(outcome.summary().get("digest")).isIn(Json.NULL, null);
        } else {
            assertThat(outcome.summary().get("digest")).asString().startsWith(label);
        }
    }

    @ParameterizedTest
    @CsvSource({"end", "chunk", "none"})
    @Tag("full")
    void everyDurabilityCopiesRight(String durable) {
        Route route = Route.of(at, Direction.PULL);
        Trees.small(route.sourcePath("tree"), 1);
        at.copy("--durable", durable, route.source("tree"), route.target("")).expectExit(0);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
    }

    @ParameterizedTest
    @CsvSource({"auto,PULL", "always,PULL", "always,PUSH", "never,PUSH"})
    @Tag("full")
    void directWritesCopyIdentically(String directIo, Direction direction) {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        Trees.file(route.sourcePath("tree/big"), (33 << 20) + 4321, 2);
        at.copy("--direct-io", directIo, route.source("tree"), route.target("")).expectExit(0);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
    }

    @EachWay
    void clearLanesCopyRightWhenBothSidesAllowThem(Direction direction) {
        Route route = Route.of(at, direction, "--clear-lanes", "allow");
        Trees.small(route.sourcePath("tree"), 1);
        at.copy("--clear-lanes", route.source("tree"), route.target("")).expectExit(0);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
    }
}
