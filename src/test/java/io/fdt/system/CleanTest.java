package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code clean} with real processes: removes leftovers of a killed copy, keeps files that a running copy writes. */
final class CleanTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** Starts a copy of 40 MiB and returns when at least 9 MiB of it are acknowledged. */
    private FdtProcess copyInTheMiddle(Route direct, FaultProxy proxy) {
        Trees.file(direct.sourcePath("big"), 40L * MIB, 1);
        proxy.throttle(5 * MIB);
        Route route = direct.through(proxy);
        FdtProcess client = at.startCopy("-P", 2, "--timeout", "30s", route.source("big"), route.target("in/"));
        client.awaitAcknowledged(Workplace.LIMIT, 9 * MIB);
        // It must not end before the test ends it.
        proxy.throttle(MIB / 16);
        return client;
    }

    private FaultProxy proxyBefore(Route direct) {
        return at.closing(FaultProxy.before(direct.server().port()));
    }

    private static List<Path> leftovers(Path directory) {
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(".fdt."))
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void keepsWhatARunningCopyWritesAndRemovesWhatAKilledOneLeft() {
        Route route = Route.of(at, Direction.PULL);
        at.directory("local/in");
        FdtProcess client = copyInTheMiddle(route, proxyBefore(route));
        Path here = route.targetPath("in");

        Outcome running = at.fdt("clean", "--older", "0s", here).expectExit(0);
        assertThat(leftovers(here)).hasSize(2);
        assertThat(running.out())
                .hasSize(3)
                .anyMatch(line -> line.startsWith("kept ") && line.contains("another copy is writing"))
                .last()
                .asString()
                .startsWith("removed 0 files, 0 B; kept 2 files, ");

        client.killHard();
        assertThat(at.fdt("clean", here).expectExit(0).out())
                .anyMatch(line -> line.contains("is younger than --older"));
        assertThat(at.fdt("clean", "--older", "0s", "--dry-run", here)
                        .expectExit(0)
                        .out())
                .hasSize(3)
                .last()
                .asString()
                .startsWith("would remove 2 files, ");
        assertThat(leftovers(here)).hasSize(2);
        at.fdt("clean", "--older", "0s", here).expectExit(0);
        assertThat(leftovers(here)).isEmpty();
        at.copy(route.source("big"), route.target("in/")).expectExit(0);
        assertThat(here.resolve("big")).hasSameBinaryContentAs(route.sourcePath("big"));
    }

    @Test
    void cleansAServerForAKeyThatMayWrite() {
        Route route = Route.of(at, Direction.PUSH);
        at.directory("remote/in");
        FaultProxy proxy = proxyBefore(route);
        copyInTheMiddle(route, proxy).killHard();
        proxy.close();
        Path there = route.targetPath("in");
        // The session stays open for a while, because its client may reconnect.
        route.server().process().awaitLine(Workplace.LIMIT.multipliedBy(2), line -> line.contains("session_end"));
        Outcome outcome = at.fdt(
                        "clean", "--json", "--older", "0s", route.server().url("/in"))
                .expectExit(0);
        assertThat(outcome.jsonOfType("summary").get(0)).containsEntry("files_kept", 0L);
        assertThat(leftovers(there)).isEmpty();

        FdtServer readOnly = at.rootlessServer("127.0.0.1:0", there, "--root", there, "--read-only");
        assertThat(at.fdt("clean", readOnly.url("/")).expectExit(7).errText()).contains("read-only");
        assertThat(at.fdt("clean", at.path("none")).expectExit(4).errText()).contains("not a directory");
        at.fdt("clean", "--older", "soon", there).expectExit(2);
    }

    @Test
    void cleansOverSsh() throws IOException {
        SshServer sshd = at.closing(SshServer.start(at.path("sshd")));
        Path far = at.directory("far");
        Files.writeString(far.resolve(".fdt.0123456789abcdef.part"), "left");

        Outcome outcome = at.fdt(
                "clean",
                "--older",
                "0s",
                "--ssh",
                sshd.command(),
                "--remote-command",
                at.remoteFdt(),
                sshd.user() + "@127.0.0.1:" + far);

        assertThat(outcome.expectExit(0).out()).last().isEqualTo("removed 1 file, 4 B; kept 0 files, 0 B");
        assertThat(leftovers(far)).isEmpty();
    }
}
