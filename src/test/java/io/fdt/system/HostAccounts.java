package io.fdt.system;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A mount namespace for each process, with accounts that this host does not have. There, the directory {@code remote}
 * of the test is {@code /mnt}, so that all accounts can reach it. Needs root.
 */
final class HostAccounts {
    private static final String INSIDE = """
            mount --bind "$1/etc" /etc && mount --bind "$1/remote" /mnt && shift && exec "$@"
            """;

    private final Workplace at;
    private final Path root;

    private HostAccounts(Workplace at) {
        this.at = at;
        this.root = at.directory("remote");
    }

    static HostAccounts of(Workplace at) {
        assumeTrue(Shell.run("unshare", "--mount", "true").exitCode() == 0, "a mount namespace needs root");
        HostAccounts accounts = new HostAccounts(at);
        Shell.ok("cp", "-a", "/etc", at.path("etc"));
        Shell.ok("chmod", "755", accounts.root);
        return accounts;
    }

    void add(String name, int number) {
        append("passwd", name + ":x:" + number + ":" + number + "::/nonexistent:/usr/sbin/nologin\n");
        append("group", name + ":x:" + number + ":\n");
    }

    /** Puts a longer file in the place of the old one, as {@code useradd} does. */
    void append(String file, String added) {
        try {
            Path old = at.path("etc/" + file);
            Path beside = Files.writeString(at.path("etc/" + file + ".new"), Files.readString(old) + added);
            Files.move(beside, old, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Starts a process that sees the accounts. */
    FdtProcess start(FdtProcess.Setup setup) {
        return at.startThrough(
                List.of(
                        "unshare",
                        "--mount",
                        "--propagation",
                        "private",
                        "bash",
                        "-c",
                        INSIDE,
                        "bash",
                        at.directory().toString()),
                setup);
    }

    FdtServer server(Object... options) {
        List<Object> words = new ArrayList<>(List.of("server", "--json", "--listen", "127.0.0.1:0", "--root", "/mnt"));
        words.addAll(List.of(options));
        return FdtServer.whenReady(start(at.setup("server", words.toArray())), root);
    }

    /** Returns a key that names the account. */
    String key(String user) {
        return start(at.setup("key", "key", "create", "--replace", user, "--user", user))
                .await(Workplace.LIMIT)
                .expectExit(0)
                .out()
                .get(0);
    }
}
