package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Copies whose far end is started by the system's ssh through a real sshd, for one copy. */
final class SshTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private SshServer sshd;

    @BeforeEach
    void startSshd() {
        assumeTrue(SshServer.isInstalled(), "there is no sshd here");
        sshd = at.closing(SshServer.start(at.path("sshd")));
    }

    /** The command that reaches fdt on the other side of ssh, which has no environment of the test. */
    private String remoteFdt() {
        return "env FDT_HOME=" + at.path("far-home") + " "
                + Path.of(System.getProperty("java.home"), "bin", "java") + " -XX:TieredStopAtLevel=1 -Djava.io.tmpdir="
                + at.directory("far-tmp") + " -jar " + Workplace.jar();
    }

    private Outcome copy(Object... words) {
        return at.copy(with(words));
    }

    private Object[] with(Object... words) {
        List<Object> all = new ArrayList<>(List.of("--ssh", sshd.command(), "--remote-command", remoteFdt()));
        all.addAll(List.of(words));
        return all.toArray();
    }

    private String far(Path path) {
        return sshd.user() + "@127.0.0.1:" + path;
    }

    private void expectNothingLeft() {
        Await.until(
                "the far end has ended and left nothing",
                Workplace.LIMIT,
                () -> Trees.listing(at.directory("far-tmp")).isEmpty());
        assertThat(at.path("far-home")).doesNotExist();
    }

    @Test
    void pushesAndPullsWithNothingSetUp() {
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

    @Test
    void aFarEndWhoseClientIsKilledEnds() {
        Path big = Trees.file(at.path("big"), 64 << 20, 1);
        FdtProcess client =
                at.startCopy(with("--rate-limit", "40Mbit", "--timeout", "3s", big, far(at.directory("there"))));
        client.awaitLine(Workplace.LIMIT, line -> line.contains("\"progress\""));
        client.killHard();
        expectNothingLeft();
        copy(big, far(at.path("there"))).expectExit(0);
        assertThat(at.path("there/big")).hasSameBinaryContentAs(big);
    }

    @Test
    void saysWhatRunsFdtWhereThereIsNone() {
        Path file = Trees.file(at.path("f"), 10, 1);
        Outcome refused = at.copy("--ssh", sshd.command(), "--remote-command", "no-fdt-here", file, far(at.path("x")))
                .expectExit(2);
        assertThat(refused.errText()).contains("no command 'no-fdt-here'").contains("--remote-command");
    }

    @Test
    void saysThatSshDidNotGetThere() {
        Path file = Trees.file(at.path("f"), 10, 1);
        Outcome refused = at.copy("--ssh", sshd.command() + " -l nobody-of-this-name", file, far(at.path("x")))
                .expectExit(8);
        assertThat(refused.errText()).contains("ssh could not reach");
        assertThat(Files.exists(at.path("x"))).isFalse();
    }
}
