package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Copies whose remote end is started for one copy by the system's ssh through a real sshd. */
final class SshTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private SshServer sshd;

    @BeforeEach
    void startSshd() {
        sshd = at.closing(SshServer.start(at.path("sshd")));
    }

    private Outcome copy(Object... words) {
        return at.copy(with(words));
    }

    private Object[] with(Object... words) {
        List<Object> all = new ArrayList<>(List.of("--ssh", sshd.command(), "--remote-command", at.remoteFdt()));
        all.addAll(List.of(words));
        return all.toArray();
    }

    private String far(Path path) {
        return sshd.user() + "@127.0.0.1:" + path;
    }

    private void expectNothingLeft() {
        Await.until(
                "the far end has ended", Workplace.LIMIT, () -> farProcesses().isEmpty());
        assertThat(Trees.listing(at.directory("far-tmp"))).isEmpty();
        assertThat(at.path("far-home")).doesNotExist();
    }

    /** The processes that sshd started here, identified by their command lines: the shell and its JVM. */
    private List<ProcessHandle> farProcesses() {
        String mark = "-Djava.io.tmpdir=" + at.directory("far-tmp");
        return ProcessHandle.allProcesses()
                .filter(process -> process.info().commandLine().orElse("").contains(mark))
                // The command lines of the client and its ssh contain the mark as well.
                .filter(process -> !process.info().commandLine().orElse("").contains(sshd.command()))
                .filter(process -> !process.info().command().orElse("").endsWith("/ssh"))
                .toList();
    }

    private static ProcessHandle sshOf(FdtProcess client) {
        return ProcessHandle.of(client.pid())
                .orElseThrow()
                .children()
                .findFirst()
                .orElseThrow();
    }

    /**
     * Starts a copy that takes some seconds. Its ends would wait for each other much longer than this test waits for
     * them.
     */
    private FdtProcess startSlowCopy(Object... words) {
        List<Object> all =
                new ArrayList<>(List.of("--chunk-size", "1MiB", "--rate-limit", "40Mbit", "--timeout", "1h"));
        all.addAll(List.of(words));
        FdtProcess client = at.startCopy(with(all.toArray()));
        client.awaitAcknowledged(Workplace.LIMIT, 8 << 20);
        return client;
    }

    /** The second copy finds it there; a damaged one is not taken for it. */
    @Test
    void bootstrapBringsFdtToAHostThatHasNone() throws IOException {
        Path cache = at.path("far cache");
        SshServer bare = at.closing(SshServer.start(at.path("bare"), "SetEnv \"XDG_CACHE_HOME=" + cache + "\""));
        Path source = Trees.file(at.path("f"), 1000, 1);
        Path target = at.directory("far");
        List<Object> files = new ArrayList<>();
        for (String name : List.of("one", "two", "three")) {
            // A process of its own runs from the jar.
            at.process("client", "--ssh", bare.command(), "--bootstrap", source, far(target.resolve(name)))
                    .expectExit(0);
            assertThat(target.resolve(name)).hasSameBinaryContentAs(source);
            Path jar = Path.of(Shell.ok("find", cache.resolve("fdt/bootstrap"), "-name", "fdt.jar")
                    .strip());
            assertThat(jar).hasSameBinaryContentAs(Workplace.jar());
            files.add(Files.getAttribute(jar, "unix:ino"));
            if (name.equals("two")) {
                Files.write(jar, new byte[0]);
            }
        }
        assertThat(files.get(1)).as("the second copy finds the jar there").isEqualTo(files.get(0));
        assertThat(files.get(2)).as("a damaged jar is sent again").isNotEqualTo(files.get(0));
        at.copy("--ssh", bare.command(), "--bootstrap", "--remote-command", "x", source, far(target.resolve("f")))
                .expectExit(2);
        at.copy("--bootstrap", source, target + "/f").expectExit(2);
    }

    @Test
    void aHostNeedsNoUserUnlessALocalFileHasThatName() throws IOException {
        Path source = Trees.file(at.path("f"), 1000, 1);
        Path target = at.directory("far");
        copy(source, "127.0.0.1:" + target + "/f").expectExit(0);
        assertThat(target.resolve("f")).hasSameBinaryContentAs(source);
        expectNothingLeft();
        String name = "127.0.0.1:" + target + "/g";
        Files.createDirectories(at.directory().resolve(name).getParent());
        Files.writeString(at.directory().resolve(name), "local");
        Outcome local = at.startCopy(with(source, name)).await(Workplace.LIMIT);
        assertThat(local.expectExit(2).errText()).contains("--ssh applies only to copies over ssh");
    }

    @Test
    void pushesAndPullsWithoutAnyKey() {
        Path tree = Trees.small(at.path("tree"), 1);
        copy(tree, far(at.directory("there"))).expectExit(0);
        Trees.assertSame(tree, at.path("there/tree"));
        copy(far(at.path("there/tree")), at.directory("back")).expectExit(0);
        Trees.assertSame(tree, at.path("back/tree"));
        expectNothingLeft();
    }

    @Test
    void everyByteGoesThroughTheOnePortWithATunnel() {
        Path tree = Trees.small(at.path("tree"), 1);
        copy("--tunnel", tree, far(at.directory("there"))).expectExit(0);
        Trees.assertSame(tree, at.path("there/tree"));
        expectNothingLeft();
    }

    @ParameterizedTest
    @CsvSource({"PUSH,false,false", "PUSH,true,false", "PULL,true,false", "PUSH,true,true"})
    @Tag("full")
    void remoteEndStopsWhenClientIsKilled(Direction direction, boolean withItsSsh, boolean tunnel) {
        boolean push = direction == Direction.PUSH;
        Path big = Trees.file(at.path("big"), 64 << 20, 1);
        Path there = at.directory("there");
        Object source = push ? big : far(big);
        Object target = push ? far(there) : there;
        FdtProcess client = tunnel ? startSlowCopy("--tunnel", source, target) : startSlowCopy(source, target);
        ProcessHandle ssh = sshOf(client);
        client.killHard();
        if (withItsSsh) {
            ssh.destroyForcibly();
        }
        expectNothingLeft();
        assertThat(Trees.listing(there).lines().toList())
                .allMatch(name -> name.matches("\\./\\.fdt\\.\\p{XDigit}+\\.(part|journal)"));
        Outcome rerun = copy(source, target).expectExit(0);
        assertThat(rerun.number("bytes_resumed")).isGreaterThanOrEqualTo(8 << 20);
        assertThat(there.resolve("big")).hasSameBinaryContentAs(big);
        expectNothingLeft();
    }

    @Test
    @Tag("full")
    void aCopyGoesOnWhenOnlyItsSshIsLost() {
        Path big = Trees.file(at.path("big"), 40 << 20, 1);
        FdtProcess client = startSlowCopy(big, far(at.directory("there")));
        sshOf(client).destroyForcibly();
        client.await(Workplace.LIMIT).expectExit(0);
        assertThat(at.path("there/big")).hasSameBinaryContentAs(big);
        expectNothingLeft();
    }

    @Test
    void remoteEndThatIsKilledLeavesNoKey() {
        FdtProcess client = startSlowCopy(Trees.file(at.path("big"), 40 << 20, 1), far(at.directory("there")));
        farProcesses().forEach(ProcessHandle::destroyForcibly);
        client.killHard();
        expectNothingLeft();
    }

    @Test
    void copiesToTheGivenPathWhateverTheServerConfigExports() throws IOException {
        Path served = at.directory("served");
        Files.writeString(at.directory("far-home").resolve("config"), "root = " + served + "\nread-only = true\n");
        Path file = Trees.file(at.path("f"), 10, 1);
        copy(file, far(at.directory("there"))).expectExit(0);
        assertThat(at.path("there/f")).hasSameBinaryContentAs(file);
        assertThat(Trees.listing(served)).isEmpty();
    }

    @Test
    void reportsMissingFdtOnRemoteHost() {
        Path file = Trees.file(at.path("f"), 10, 1);
        Outcome refused = at.copy("--ssh", sshd.command(), "--remote-command", "no-fdt-here", file, far(at.path("x")))
                .expectExit(2);
        assertThat(refused.errText()).contains("no command 'no-fdt-here'").contains("--remote-command");
    }

    @Test
    void reportsThatSshCouldNotConnect() {
        Path file = Trees.file(at.path("f"), 10, 1);
        Outcome refused = at.copy("--ssh", sshd.command() + " -l nobody-of-this-name", file, far(at.path("x")))
                .expectExit(8);
        assertThat(refused.errText()).contains("ssh could not reach");
        String stranger = sshd.command() + " -l nobody-of-this-name";
        Outcome unreached = at.process("client", "--ssh", stranger, "--bootstrap", file, far(at.path("x")))
                .expectExit(8);
        assertThat(unreached.errText()).contains("ssh could not reach").contains("without a prompt");
        assertThat(Files.exists(at.path("x"))).isFalse();
    }
}
