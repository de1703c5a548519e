package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.hostile.GreedyAttacks;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server with small limits, clients with a valid key that use all they can get, and ordinary clients beside them. */
final class GreedTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    private int copies;

    /** An attack by a client that stays connected afterwards. */
    private interface Attack {
        void begin(GreedyAttacks attacker) throws InterruptedException;
    }

    @Test
    void greedyClientDoesNotAffectOthers() throws Exception {
        Path root = at.directory("remote");
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            Files.writeString(root.resolve("there" + i), "12345");
            names.add("there" + i);
        }
        FdtServer server = smallServer(root);
        Path source = Trees.file(at.path("honest"), 20 * MIB, 1);
        String key = at.fdt("key", "show").expectExit(0).out().get(0);

        besides(server, key, source, attacker -> attacker.offerLongDirectories(70_000));
        besides(server, key, source, attacker -> attacker.sendGlobs(7, 250));
        besides(server, key, source, attacker -> attacker.sendGlobs(7, 60));
        besides(server, key, source, attacker -> attacker.offerToCompare(names, 5, 1));
        besides(server, key, source, attacker -> attacker.offerToCompare(names.subList(0, 1), 5, 1000));
        besides(server, key, source, attacker -> {
            attacker.leavePartials("/parts/", 325);
            attacker.resumePartials("/parts/", 325);
        });
        besides(server, key, source, attacker -> attacker.repeatALane(300));
        besides(server, key, source, attacker -> attacker.desertPulls(16));
        assertSound(server);
    }

    /** Each attack has a server of its own, so that none ends in the remains of another. */
    @ParameterizedTest
    @ValueSource(strings = {"flood", "tops", "paths", "links", "nettest"})
    void aGreedyKeyDoesNotKeepOthersFromWriting(String attack) throws Exception {
        Path root = at.directory("remote");
        Path many = Files.createDirectories(root.resolve("many"));
        if (attack.equals("flood")) {
            for (int i = 0; i < 30_000; i++) {
                Files.createFile(many.resolve("f" + i));
            }
        }
        FdtServer server = smallServer(root);
        Path source = Trees.file(at.path("honest"), 20 * MIB, 1);
        boolean mirrors = attack.equals("tops") || attack.equals("paths");
        String rights = mirrors ? "list,read,write,delete" : "list,read";
        String greedy = at.fdt("key", "create", "greedy", "--allow", rights)
                .expectExit(0)
                .out()
                .get(0);

        besides(server, greedy, source, attacker -> {
            switch (attack) {
                case "flood" -> attacker.floodBusySessions("/many", 2, 110);
                case "tops" -> attacker.offerTops(3, 20_000);
                case "paths" -> attacker.leaveOut(2, 60);
                case "links" -> attacker.authenticate(400);
                default -> attacker.repeatANettestLane(40);
            }
        });
        assertSound(server);
    }

    private FdtServer smallServer(Path root) {
        at.environment("JAVA_TOOL_OPTIONS", "-Xmx256m");
        return FdtServer.whenReady(
                at.track(FdtProcess.start(at.setupThroughBash(
                        "server",
                        "ulimit -n 1024; exec \"$@\"",
                        "server",
                        "--json",
                        "--listen",
                        "127.0.0.1:0",
                        "--root",
                        root))),
                root);
    }

    private static void assertSound(FdtServer server) {
        assertThat(server.process().transcript())
                .doesNotContain("OutOfMemoryError")
                .doesNotContain("Too many open");
    }

    private void besides(FdtServer server, String key, Path source, Attack attack) throws InterruptedException {
        String name = "/copy" + copies++;
        try (GreedyAttacks attacker = new GreedyAttacks(new InetSocketAddress(server.host(), server.port()), key)) {
            attack.begin(attacker);
            at.copy(source, server.url(name)).expectExit(0);
        }
        assertThat(server.process().isAlive()).isTrue();
        Trees.assertSameFile(source, server.root().resolve(name.substring(1)));
    }
}
