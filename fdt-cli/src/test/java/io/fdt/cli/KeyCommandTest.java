package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.key.KeyRing;
import io.fdt.core.Json;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.KeyStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code key}. */
class KeyCommandTest {
    @Test
    void showsListsImportsAndRevokesKeys(@TempDir Path home) {
        CommandRun show = CommandRun.inHome(home);
        assertThat(show.run("key", "show")).isZero();
        String line = show.out().strip();
        assertThat(line).startsWith("fdt-key:");
        CommandRun keep = CommandRun.inHome(home).standardInput("  " + line + "\n\n");
        assertThat(keep.run("key", "import", "--server", "dtn3:4000")).isZero();
        assertThat(keep.out()).matches("(?s)imported\tdtn3:4000\t[^\t]+\t-\t-\t-\tserver sha256:[0-9a-f]+\n");
        String id = keep.out().split("\t", -1)[2];
        CommandRun list = CommandRun.inHome(home);
        assertThat(list.run("key", "list", "--json")).isZero();
        assertThat(list.json().get(0))
                .containsEntry("type", "key")
                .containsEntry("role", "admits")
                .containsEntry("name", "default")
                .containsEntry("note", "list, read, write, delete, owners, all roots")
                .containsEntry("rights", List.of("list", "read", "write", "delete"))
                .containsEntry("owners", true)
                .containsEntry("roots", List.of())
                .containsEntry("max_bytes", Json.NULL)
                .containsEntry("expires", Json.NULL)
                .containsEntry("last_use", Json.NULL);
        assertThat(list.json().get(1))
                .containsEntry("role", "imported")
                .containsEntry("name", "dtn3:4000")
                .containsEntry("id", id)
                .extractingByKey("note")
                .asString()
                .startsWith("server sha256:");
        CommandRun table = CommandRun.inHome(home);
        assertThat(table.run("key", "list")).isZero();
        assertThat(table.out().lines())
                .hasSize(3)
                .first()
                .isEqualTo("ROLE\tNAME\tID\tACCOUNT\tEXPIRES\tLAST USE\tPERMITS");
        CommandRun other = CommandRun.inHome(home);
        assertThat(other.run("key", "revoke", "dtn3:4000")).isEqualTo(2);
        assertThat(other.err()).contains("there is no key 'dtn3:4000'", "removed by fdt key forget");
        assertThat(CommandRun.inHome(home).run("key", "forget", id)).isZero();
        CommandRun again = CommandRun.inHome(home);
        assertThat(again.run("key", "forget", "dtn3:4000")).isEqualTo(2);
        assertThat(again.err()).contains("there is no key 'dtn3:4000'", "removed by fdt key revoke");
        CommandRun warned = CommandRun.inHome(home);
        assertThat(warned.run("key", "revoke", "default")).isZero();
        assertThat(warned.err()).contains("warning: clients of this user on this host", "key create default --replace");
    }

    @Test
    void listsTheUseOfKeys(@TempDir Path home) throws IOException {
        assertThat(CommandRun.inHome(home).run("key", "create", "guest", "--expires", "2131-01-02"))
                .isZero();
        KeyStore keys = new KeyStore(home);
        AccessKey guest = keys.list().get(1);
        assertThat(listed(home)).contains("\tguest\t" + guest.id() + "\t-\t2131-01-02T00:00:00Z\tnever\t");
        keys.noteUse(guest.id());
        assertThat(listed(home))
                .doesNotContain("\tnever\tlist, read, write, delete, all roots, 10 sessions\n", "unused");
        Instant before = Instant.now().minus(Duration.ofDays(100));
        Files.setLastModifiedTime(home.resolve("key-uses").resolve(guest.id()), FileTime.from(before));
        assertThat(listed(home)).contains(", unused for 100 days\tlist,");
        assertThat(CommandRun.inHome(home).run("key", "revoke", "guest")).isZero();
        assertThat(home.resolve("key-uses")).isEmptyDirectory();
    }

    private static String listed(Path home) {
        CommandRun run = CommandRun.inHome(home);
        assertThat(run.run("key", "list")).isZero();
        return run.out();
    }

    @Test
    void makesAKeyAndPrintsItsLine(@TempDir Path home) {
        CommandRun run = CommandRun.inHome(home);
        assertThat(run.run(
                        "key",
                        "create",
                        "guest",
                        "--allow",
                        "list,read",
                        "--root",
                        "/nowhere/../srv",
                        "--rate-limit",
                        "5Gbit",
                        "--max-bytes",
                        "1T",
                        "--max-sessions",
                        "3",
                        "--expires",
                        "2131-01-02"))
                .isZero();
        assertThat(run.out()).startsWith("fdt-key:").endsWith("\n");
        assertThat(run.err())
                .isEqualTo("fdt: key guest: list, read, /srv, at most 5.00 Gbit/s (596 MiB/s), 1.00 TiB per transfer,"
                        + " 3 sessions, until 2131-01-02T00:00:00Z\n");
        CommandRun listed = CommandRun.inHome(home);
        assertThat(listed.run("key", "list", "--json")).isZero();
        assertThat(listed.json().get(1))
                .containsEntry("rights", List.of("list", "read"))
                .containsEntry("owners", false)
                .containsEntry("roots", List.of("/srv"))
                .containsEntry("rate_limit_bits_per_second", 5_000_000_000L)
                .containsEntry("max_bytes", 1L << 40)
                .containsEntry("max_sessions", 3L)
                .containsEntry("expires", "2131-01-02T00:00:00Z");
        CommandRun json = CommandRun.inHome(home);
        assertThat(json.run("key", "create", "other", "--json")).isZero();
        assertThat(json.json().stream().map(line -> line.get("type"))).containsExactly("key", "key_line");
        assertThat(json.json().get(0)).containsEntry("note", "list, read, write, delete, all roots, 10 sessions");
        CommandRun adding = CommandRun.inHome(home);
        assertThat(adding.run("key", "create", "adding", "--append-only", "--json"))
                .isZero();
        assertThat(adding.json().get(0)).containsEntry("note", "list, read, append, all roots, 10 sessions");
        CommandRun shown = CommandRun.inHome(home);
        assertThat(shown.run("key", "show", "other")).isEqualTo(2);
        assertThat(shown.err()).contains("printed once, by fdt key create NAME [--replace]");
        assertThat(new KeyRing(home).list()).anyMatch(key -> key.note().startsWith("list, read, append,"));
    }

    @Test
    void importsKeyFromEnvironment(@TempDir Path home) {
        CommandRun show = CommandRun.inHome(home.resolve("server"));
        show.run("key", "show");
        CommandRun run = CommandRun.inHome(home.resolve("client"))
                .environment("FDT_KEY", show.out().strip());
        assertThat(run.run("key", "import", "--server", "dtn4")).isZero();
        assertThat(run.out()).startsWith("imported\tdtn4\t");
    }

    @Test
    void neverPrintsInvalidKey() {
        CommandRun run = new CommandRun().standardInput("my-password");
        assertThat(run.run("key", "import")).isEqualTo(2);
        assertThat(run.out() + run.err()).doesNotContain("my-password");
    }
}
