package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The target path of a source follows the rule of rsync, so the tests compare with rsync itself. */
final class TargetNameTest {
    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @RegisterExtension
    final Workplace at = new Workplace(SERVER);

    /** The sources and the target of a command, and what exists at the target path before. */
    private record Case(String sources, String target, String before) {}

    private static final List<Case> CASES = List.of(
            new Case("dir", "t", "t/"),
            new Case("dir", "t/", "t/"),
            new Case("dir", "t", ""),
            new Case("dir", "t/", ""),
            new Case("dir/", "t", "t/"),
            new Case("dir/", "t", ""),
            new Case("dir/", "t/", ""),
            new Case("dir/.", "t", ""),
            new Case("dir/sub", "t", "t/"),
            new Case("file", "t", "t/"),
            new Case("file", "t", ""),
            new Case("file", "t/", ""),
            new Case("file", "t", "t"),
            new Case("file other", "t", "t/"),
            new Case("file other", "t/", ""),
            new Case("file other", "t", ""),
            new Case("dir file", "t", "t/"),
            new Case("dir/ file", "t", "t/"),
            new Case("to-dir", "t", "t/"),
            new Case("to-dir/", "t", "t/"),
            new Case("to-file", "t", ""),
            new Case("file", "", ""),
            new Case("dir", "", ""));

    private static void makeSources(Path directory) throws Exception {
        Trees.file(directory.resolve("file"), 10, 1);
        Trees.file(directory.resolve("other"), 20, 2);
        Trees.file(directory.resolve("dir/one"), 30, 3);
        Trees.file(directory.resolve("dir/sub/two"), 40, 4);
        Files.createSymbolicLink(directory.resolve("to-dir"), Path.of("dir"));
        Files.createSymbolicLink(directory.resolve("to-file"), Path.of("file"));
    }

    /** Covers all cases. In the everyday tier, covers only the cases that the pull test does not. */
    @TestFactory
    Stream<DynamicTest> landsWhereRsyncPutsItWhenPushed() throws Exception {
        return EachWay.Directions.all()
                ? compareWithRsync(Direction.PUSH, 0, 1)
                : compareWithRsync(Direction.PUSH, 1, 2);
    }

    @TestFactory
    Stream<DynamicTest> landsWhereRsyncPutsItWhenPulled() throws Exception {
        // Both directions use the same code for the rule. Every second case is enough to show that a pull uses it.
        return compareWithRsync(Direction.PULL, 0, 2);
    }

    private Stream<DynamicTest> compareWithRsync(Direction direction, int first, int step) throws Exception {
        Route route = Route.of(at, direction);
        makeSources(route.sourcePath("s"));
        Path reference = at.directory("reference");
        List<DynamicTest> tests = new ArrayList<>();
        for (int i = first; i < CASES.size(); i += step) {
            Case each = CASES.get(i);
            String place = "case" + i;
            tests.add(DynamicTest.dynamicTest(each.toString(), () -> {
                prepare(route.targetPath(place), each.before());
                prepare(reference.resolve(place), each.before());
                List<Object> copy = new ArrayList<>();
                List<Object> rsync = new ArrayList<>(List.of("rsync", "-a"));
                for (String source : each.sources().split(" ", -1)) {
                    copy.add(route.source("s/" + source));
                    rsync.add(route.sourcePath("s") + "/" + source);
                }
                copy.add(route.target(place + "/" + each.target()));
                rsync.add(reference.resolve(place) + "/" + each.target());
                Shell.ok(rsync.toArray());
                at.copy(copy.toArray()).expectExit(0);
                assertThat(Trees.differences(reference.resolve(place), route.targetPath(place), "--omit-dir-times"))
                        .as("what rsync would mend; rsync has\n" + Trees.listing(reference.resolve(place)) + "fdt has\n"
                                + Trees.listing(route.targetPath(place)))
                        .isEmpty();
            }));
        }
        return tests.stream();
    }

    private static void prepare(Path place, String before) throws Exception {
        Files.createDirectories(place);
        if (before.endsWith("/")) {
            Files.createDirectories(place.resolve(before));
        } else if (!before.isEmpty()) {
            Trees.file(place.resolve(before), 5, 9);
        }
    }

    @EachWay
    void sourcesThatLandOnOnePathAreRefusedBeforeAnythingMoves(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("a/x"), 10, 1);
        Trees.file(route.sourcePath("b/x"), 20, 2);
        Trees.file(route.sourcePath("a/only"), 20, 2);
        Outcome outcome = at.copy(route.source("a/only"), route.source("a/x"), route.source("b/x"), route.target("t/"))
                .expectExit(2);
        assertThat(outcome.transcript()).contains("a/x").contains("b/x");
        outcome = at.copy(route.source("a/"), route.source("b/"), route.target("t/"))
                .expectExit(2);
        assertThat(outcome.transcript()).contains("x");
        assertThat(Files.exists(route.targetPath("t/x"))).isFalse();
        assertThat(Files.exists(route.targetPath("t/only"))).isFalse();
    }

    @EachWay
    void directoriesWithDifferentContentsMayShareATarget(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("a/sub/x"), 10, 1);
        Trees.file(route.sourcePath("b/sub/y"), 20, 2);
        at.copy(route.source("a/"), route.source("b/"), route.target("t/")).expectExit(0);
        Trees.assertSameFile(route.sourcePath("a/sub/x"), route.targetPath("t/sub/x"));
        Trees.assertSameFile(route.sourcePath("b/sub/y"), route.targetPath("t/sub/y"));
    }

    @EachWay
    void severalSourcesCannotLandOnAFile(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("x"), 10, 1);
        Trees.file(route.sourcePath("y"), 10, 2);
        Trees.file(route.targetPath("t"), 33, 3);
        Outcome outcome = at.copy(route.source("x"), route.source("y"), route.target("t"));
        outcome.expectExit(5);
        assertThat(route.targetPath("t")).hasSize(33);
    }
}
