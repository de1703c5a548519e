package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Resolver;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.WalkingResolver;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.SourceTreeTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing outside the root is written, whatever links exist and whatever changes them meanwhile. */
class TargetConfinementTest extends TargetTest {
    @Test
    void acceptsLinksToDirectoriesOnlyInsideAndInAPullNone() throws IOException {
        directory("out/real");
        directory("shared");
        directory("outside");
        Files.createSymbolicLink(temporary.resolve("out/in"), Path.of("real"));
        Files.createSymbolicLink(temporary.resolve("out/up"), Path.of("../shared"));
        Files.createSymbolicLink(temporary.resolve("out/absolute"), temporary.resolve("shared"));
        Files.createSymbolicLink(temporary.resolve("out/dangling"), Path.of("none"));
        file("out/file", "f");
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            try (Root root = Root.confined(raw(temporary), resolver);
                    TargetTree tree = open(root, "out", false)) {
                assertThat(tree.prepare(directoryEntry("in", 0755))).isInstanceOf(Outcome.Made.class);
                assertThat(tree.prepare(directoryEntry("up", 0755))).isInstanceOf(Outcome.Made.class);
                assertThat(failure(() -> tree.prepare(directoryEntry("absolute", 0755)))
                                .kind())
                        .isEqualTo(FailureKind.REFUSED);
                assertThat(tree.prepare(directoryEntry("dangling", 0755))).isInstanceOf(Outcome.Made.class);
                assertThat(tree.prepare(directoryEntry("file", 0755))).isInstanceOf(Outcome.Made.class);
                deliver(tree, fileEntry("up/x", 1), bytes("x"));
                deliver(tree, fileEntry("in/y", 1), bytes("y"));
                finish(tree);
            }
            assertThat(temporary.resolve("shared/x")).hasContent("x");
            assertThat(temporary.resolve("out/real/y")).hasContent("y");
            assertThat(temporary.resolve("out/in")).isSymbolicLink();
            assertThat(Files.isDirectory(temporary.resolve("out/dangling"), LinkOption.NOFOLLOW_LINKS))
                    .isTrue();
            assertThat(Files.isDirectory(temporary.resolve("out/file"), LinkOption.NOFOLLOW_LINKS))
                    .isTrue();
            Files.delete(temporary.resolve("shared/x"));
            Files.delete(temporary.resolve("out/real/y"));
        }
        try (Root root = Root.unconfined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            for (String path : List.of("in", "up", "in/new")) {
                assertThat(failure(() -> tree.prepare(directoryEntry(path, 0755)))
                                .kind())
                        .as(path)
                        .isEqualTo(FailureKind.REFUSED);
            }
            assertThat(failure(() -> tree.prepare(fileEntry("in/y", 1))))
                    .hasMessage("out/in: is or leads through a symbolic link, which a pull does not follow below"
                            + " its target; replace the link with a directory");
            Files.delete(temporary.resolve("out/dangling"));
            Files.createSymbolicLink(temporary.resolve("out/dangling"), Path.of("none"));
            assertThat(tree.prepare(directoryEntry("dangling", 0755))).isInstanceOf(Outcome.Made.class);
        }
        assertThat(temporary.resolve("out/real")).isEmptyDirectory();
        assertThat(directoryProblems).isEmpty();
    }

    @Test
    void refusesAPathThatLeavesTheRoot() throws IOException {
        file("outside/canary", "c");
        directory("root/out");
        List<FileEntry> hostile = new ArrayList<>();
        for (String path : List.of(
                "../outside/canary",
                "/outside/canary",
                "a/../../x",
                "a//b",
                "./a",
                "a/",
                "..",
                ".",
                "",
                "a/./b",
                "a/..")) {
            hostile.add(fileEntry(path, 1));
            hostile.add(linkEntry(path, "x"));
            if (!path.isEmpty()) {
                hostile.add(directoryEntry(path, 0755));
            }
        }
        hostile.add(fileEntry(".fdt.0123456789abcdef.part", 1));
        hostile.add(fileEntry("a/.fdt.0123456789ABCDEF.journal", 1));
        try (Root root = Root.confined(raw(temporary.resolve("root")));
                TargetTree tree = open(root, "out", false)) {
            for (FileEntry entry : hostile) {
                assertThat(failure(() -> tree.prepare(entry)).kind())
                        .as("%s", entry)
                        .isEqualTo(FailureKind.REFUSED);
            }
            byte[] name = new byte[256];
            Arrays.fill(name, (byte) 'n');
            assertThat(failure(() -> tree.prepare(fileEntry(RawPath.ofBytes(name), 1, 0644)))
                            .kind())
                    .isEqualTo(FailureKind.TARGET);
            byte[] path = new byte[5000];
            Arrays.fill(path, (byte) 'n');
            for (int i = 1; i < path.length; i += 2) {
                path[i] = '/';
            }
            path[4999] = 'n';
            assertThat(failure(() -> tree.prepare(fileEntry(RawPath.ofBytes(path), 1, 0644)))
                            .getMessage())
                    .contains("File name too long");
        }
        assertThat(namesIn(temporary.resolve("root/out"))).isEmpty();
        assertThat(temporary.resolve("outside/canary")).hasContent("c");
    }

    @Test
    void putsNothingThroughALinkThatAPeerMade() throws IOException {
        file("outside/canary", "c");
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            try (Root root = Root.confined(
                            raw(temporary.resolve(directory("root").toString())), resolver);
                    TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
                for (String where :
                        List.of("../../outside", temporary.resolve("outside").toString())) {
                    assertThat(tree.prepare(linkEntry("link", where))).isInstanceOf(Outcome.Made.class);
                    assertThat(failure(() -> tree.prepare(fileEntry("link/canary", 1)))
                                    .kind())
                            .isEqualTo(FailureKind.REFUSED);
                    assertThat(failure(() -> tree.prepare(directoryEntry("link", 0755)))
                                    .kind())
                            .isEqualTo(FailureKind.REFUSED);
                    assertThat(failure(() -> tree.prepare(directoryEntry("link/new", 0755)))
                                    .kind())
                            .isEqualTo(FailureKind.REFUSED);
                    assertThat(failure(() -> tree.prepare(linkEntry("link/new", "x")))
                                    .kind())
                            .isEqualTo(FailureKind.REFUSED);
                }
                assertThat(tree.prepare(linkEntry("canary", "../../outside/canary")))
                        .isInstanceOf(Outcome.Made.class);
                deliver(tree, fileEntry("canary", 1), bytes("x"));
            }
        }
        assertThat(namesIn(temporary.resolve("outside"))).containsExactly("canary");
        assertThat(temporary.resolve("outside/canary")).hasContent("c");
    }

    @Test
    void refusesATargetOutsideTheRoot() throws IOException {
        directory("root/a");
        directory("outside");
        Files.createSymbolicLink(temporary.resolve("root/out"), Path.of("../outside"));
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            try (Root root = Root.confined(raw(temporary.resolve("root")), resolver)) {
                for (String target : List.of("..", "../outside", "a/../../outside", "out", "out/x/y", "../new/")) {
                    for (boolean single : new boolean[] {true, false}) {
                        assertThatThrownBy(() -> open(root, target, single))
                                .as(target)
                                .asInstanceOf(type(TransferException.class))
                                .extracting(TransferException::kind)
                                .isEqualTo(FailureKind.REFUSED);
                    }
                }
            }
        }
        assertThat(namesIn(temporary)).containsExactly("outside", "root");
    }

    /**
     * A hard link to a file is not a symbolic link: it gets no owner from a server that runs as root, and no time from
     * any server.
     */
    @ParameterizedTest
    @EnumSource(names = {"OWNER", "TIMES"})
    void changesNothingOfWhatAnAttackerPutsInThePlaceOfALink(Preserve preserve) throws Exception {
        Assumptions.assumeTrue(FileMetadata.isRoot());
        Path secret = file("outside/secret", "s");
        file("root/out/l", "x");
        AtomicBoolean done = new AtomicBoolean();
        Thread attacker = new Thread(
                () -> {
                    int out = Paths.openat(
                            Paths.AT_FDCWD, raw(temporary.resolve("root/out")), Paths.O_PATH | Paths.O_DIRECTORY, 0);
                    RawPath taken = PartialNames.of(raw("l")).link();
                    while (!done.get()) {
                        Paths.unlinkat(out, taken, 0);
                        Paths.linkat(Paths.AT_FDCWD, raw(secret), out, taken);
                    }
                    Descriptor.closeFd(out);
                },
                "attacker");
        attacker.start();
        int made = 0;
        try (Root root = Root.confined(raw(temporary.resolve("root")));
                TargetTree tree =
                        targetTree(root, "out", rules(Existing.OVERWRITE, EnumSet.of(Preserve.LINKS, preserve)))) {
            for (int i = 0; i < 20_000; i++) {
                try {
                    tree.prepare(new FileEntry(
                            raw("l"),
                            Kind.LINK,
                            0,
                            new EntryMetadata(0777, 1, 0, 1234, 2345, List.of()),
                            false,
                            raw("x" + i)));
                    made++;
                } catch (TransferException lost) {
                    // Something else had the name at that moment.
                }
            }
        } finally {
            done.set(true);
            attacker.join();
        }
        assertThat(made).as("the race was run").isPositive();
        assertThat(statusOf(secret).uid).isZero();
        assertThat(statusOf(secret).modifiedSeconds).isNotEqualTo(1);
    }

    @Test
    void staysInsideWhileAnAttackerFlipsLinks() throws Exception {
        file("outside/canary", "c");
        directory("root/out");
        Path flipped = temporary.resolve("root/out/d");
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            AtomicBoolean done = new AtomicBoolean();
            Thread flipper = new Thread(
                    () -> {
                        int fd = Paths.openat(
                                Paths.AT_FDCWD,
                                raw(temporary.resolve("root/out")),
                                Paths.O_PATH | Paths.O_DIRECTORY,
                                0);
                        Paths.mkdirat(fd, raw("d"), 0755);
                        Paths.symlinkat(raw("../../outside"), fd, raw("evil"));
                        while (!done.get()) {
                            Paths.rename(fd, raw("d"), raw("evil"), Paths.RENAME_EXCHANGE);
                        }
                        Descriptor.closeFd(fd);
                    },
                    "flipper");
            flipper.start();
            int made = 0;
            try (Root root = Root.confined(raw(temporary.resolve("root")), resolver)) {
                for (int i = 0; i < 3000; i++) {
                    try (TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
                        tree.prepare(directoryEntry("d/" + i % 7, 0755));
                        if (tree.prepare(fileEntry("d/canary", 1)) instanceof Outcome.Wanted wanted) {
                            try (TargetFile file = wanted.file()) {
                                write(file, bytes("x"), 0);
                                file.seal();
                                file.publish();
                                made++;
                            }
                        }
                        tree.finishDirectories((path, failure) -> {});
                    } catch (TransferException refused) {
                        // The link had the name at that moment.
                    }
                }
            } finally {
                done.set(true);
                flipper.join();
            }
            assertThat(made).as("the race was run").isPositive();
            assertThat(namesIn(temporary.resolve("outside"))).containsExactly("canary");
            assertThat(temporary.resolve("outside/canary")).hasContent("c");
            SourceTreeTest.run(
                    "rm",
                    "-rf",
                    flipped.toString(),
                    temporary.resolve("root/out/evil").toString());
        }
    }

    @Test
    void doesNotWriteIntoWhatOthersPutInPlaceOfThePartial() throws Exception {
        file("victim", "precious");
        Path partial =
                directory("out").resolve(PartialNames.of(raw("f")).partial().text());
        for (String trap : List.of("link", "hardlink", "fifo", "leftover", "leftover-without-rights")) {
            switch (trap) {
                case "link" -> Files.createSymbolicLink(partial, temporary.resolve("victim"));
                case "hardlink" -> Files.createLink(partial, temporary.resolve("victim"));
                case "fifo" -> SourceTreeTest.run("mkfifo", partial.toString());
                default -> {
                    Files.writeString(partial, "some longer leftover");
                    Files.setAttribute(partial, "unix:mode", trap.equals("leftover") ? 0600 : 0);
                }
            }
            try (Root root = Root.confined(raw(temporary));
                    TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
                deliver(tree, fileEntry("f", 3), bytes(trap.substring(0, 3)));
            }
            assertThat(temporary.resolve("out/f")).hasContent(trap.substring(0, 3));
            assertThat(statusOf(temporary.resolve("out/f")).mode()).isEqualTo(0644);
            assertThat(temporary.resolve("victim")).hasContent("precious");
            assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
        }
    }
}
