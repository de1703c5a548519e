package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.partial.PartialNames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Copies by an ordinary user into a directory like {@code /tmp}, in which another user has put files with the names
 * that fdt uses beside a target, and which only that user and root can remove.
 */
@Order(5)
final class SharedDirectoryTest {
    private static final int USER = 65_534;
    private static final String OTHER = "1234";
    private static final long BIG_BYTES = 60L << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    private Path shared = Path.of("unset");

    @BeforeEach
    void share() {
        shared = at.directory("shared");
        Shell.ok("chown", "-R", String.valueOf(USER), at.directory());
        Shell.ok("chown", OTHER, shared);
        Shell.ok("chmod", "1777", shared);
    }

    private FdtProcess startAsUser(Object... arguments) {
        List<Object> words = new ArrayList<>(List.of("client", "--json"));
        words.addAll(List.of(arguments));
        FdtProcess.Setup setup = at.setup("user", words.toArray());
        // The user may read everything, so that it does not matter where the jar is.
        List<String> command = new ArrayList<>(List.of(
                "setpriv",
                "--reuid=" + USER,
                "--regid=" + USER,
                "--clear-groups",
                "--inh-caps=+dac_read_search",
                "--ambient-caps=+dac_read_search",
                "--"));
        command.addAll(setup.command());
        return at.track(
                FdtProcess.start(new FdtProcess.Setup(setup.name(), command, setup.environment(), setup.directory())));
    }

    private static PartialNames namesOf(String name) {
        return PartialNames.of(RawPath.ofText(name));
    }

    private Path plant(RawPath name, String mode) throws IOException {
        Path planted = Files.writeString(shared.resolve(name.text()), "planted");
        Shell.ok("chown", OTHER, planted);
        Shell.ok("chmod", mode, planted);
        return planted;
    }

    private void assertOnly(Path... expected) throws IOException {
        try (var listed = Files.list(shared)) {
            assertThat(listed).containsExactlyInAnyOrder(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"600", "666"})
    void anotherUsersPartialIsLeftAloneAndReported(String mode) throws IOException {
        Path planted = plant(namesOf("f").partial(), mode);
        Path source = Trees.file(at.path("f"), 5000, 1);

        Outcome done = startAsUser(source, shared + "/").await(Workplace.LIMIT).expectExit(0);

        assertThat(shared.resolve("f")).hasSameBinaryContentAs(source);
        assertThat(planted).hasContent("planted");
        assertThat(String.valueOf(done.jsonOfType("warning")))
                .contains(planted.getFileName() + ", which belongs to the user " + OTHER);
        assertOnly(planted, shared.resolve("f"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"partial 600", "partial 666", "journal 600", "journal 666"})
    void aCopyBesideAnotherUsersFilesIsResumed(String what) throws IOException {
        PartialNames names = namesOf("big");
        boolean isPartial = what.startsWith("partial");
        Path planted = plant(isPartial ? names.partial() : names.journal(), what.substring(what.length() - 3));
        Path source = Trees.file(at.path("big"), BIG_BYTES, 1);
        FdtProcess killed = startAsUser("--rate-limit", "6MiB", source, shared + "/");
        killed.awaitAcknowledged(Workplace.LIMIT, 6L << 20);
        killed.killHard();
        killed.await(Workplace.LIMIT);

        Outcome rerun = startAsUser(source, shared + "/").await(Workplace.LIMIT).expectExit(0);

        assertThat(rerun.number("bytes_resumed")).isGreaterThanOrEqualTo(6L << 20);
        assertThat(shared.resolve("big")).hasSameBinaryContentAs(source);
        assertThat(planted).hasContent("planted");
        assertOnly(planted, shared.resolve("big"));
    }

    /** Whoever knows fdt knows the names of both, so a third one must be unknown. */
    @ParameterizedTest
    @ValueSource(longs = {5000, BIG_BYTES})
    void nobodyCanTakeAllNames(long sizeBytes) throws Exception {
        Path planted = plant(namesOf("f").partial(), "600");
        Path own = plant(RawPath.ofText(".fdt." + ownStem("f") + ".part"), "666");
        Path source = Trees.file(at.path("f"), sizeBytes, 1);

        startAsUser(source, shared + "/").await(Workplace.LIMIT).expectExit(0);

        assertThat(shared.resolve("f")).hasSameBinaryContentAs(source);
        assertOnly(planted, own, shared.resolve("f"));
    }

    /** The documented name of the partial of a user who cannot use the name that all users share. */
    private static String ownStem(String name) throws Exception {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        byte[] both = ByteBuffer.allocate(bytes.length + 5)
                .put(bytes)
                .put((byte) 0)
                .putInt(USER)
                .array();
        return HexFormat.of()
                .formatHex(Arrays.copyOf(MessageDigest.getInstance("SHA-256").digest(both), 8));
    }

    @Test
    void linksAndDirectoriesGetTheirNames() throws IOException {
        Path first = plant(namesOf("link").link(), "600");
        Path second = plant(namesOf("directory").link(), "600");
        Path tree = at.directory("tree");
        Files.createSymbolicLink(tree.resolve("link"), Path.of("somewhere"));
        Files.createDirectories(tree.resolve("directory"));
        Files.createSymbolicLink(shared.resolve("link"), Path.of("elsewhere"));
        Files.createSymbolicLink(shared.resolve("directory"), Path.of("elsewhere"));
        Shell.ok("chown", "-hR", String.valueOf(USER), tree, shared.resolve("link"), shared.resolve("directory"));

        startAsUser(tree.resolve("link"), tree.resolve("directory"), shared + "/")
                .await(Workplace.LIMIT)
                .expectExit(0);

        assertThat(Files.readSymbolicLink(shared.resolve("link"))).hasToString("somewhere");
        assertThat(shared.resolve("directory")).isDirectory();
        assertThat(Files.isSymbolicLink(shared.resolve("directory"))).isFalse();
        assertOnly(first, second, shared.resolve("link"), shared.resolve("directory"));
    }
}
