package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.LocalTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a copy within this host may go. */
final class CopyHereTest {
    @TempDir
    Path temp;

    @BeforeEach
    void makeTrees() throws IOException {
        Files.createDirectories(temp.resolve("a/below"));
        Files.createDirectories(temp.resolve("other"));
        Files.writeString(temp.resolve("a/file"), "1");
        Files.createSymbolicLink(temp.resolve("link"), temp.resolve("a"));
        Files.createLink(temp.resolve("other/same"), temp.resolve("a/file"));
    }

    private RawPath path(String text) {
        return RawPath.ofText(temp + "/" + text);
    }

    private void check(String source, String target, boolean deletes) {
        new LocalTarget(path(target)).requireApartFrom(List.of(path(source)), deletes);
    }

    @ParameterizedTest
    @CsvSource({
        "a, a/below, inside it",
        "a/, a/below, inside it",
        "a/, a, inside it",
        "a, ., inside it",
        "a, link/new/deep, inside it",
        "a, new/../a/, without ..",
        "a, new/../a, without ..",
        "link/, a/below/, inside it",
        "a/file, a, is the source itself",
        "a/file, a/file, is the source itself",
        "a/file, link, is the source itself",
        "a/file, other/same, is the source itself",
    })
    void refusesACopyOntoOrIntoItself(String source, String target, String why) {
        assertThatThrownBy(() -> check(source, target, false))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.USAGE))
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource({"a, other", "a/, new", "a, new/deep/", "a/file, b", "a/below/, a", "a/below, .", "none, a", "a, 'a.old'"
    })
    void acceptsTargetsApartFromTheSource(String source, String target) {
        check(source, target, false);
    }

    @Test
    void refusesAMirrorThatWouldDeleteItsSource() {
        assertThatThrownBy(() -> check("a/below/", "a", true)).hasMessageContaining("would delete the source");
        check("a/", "other", true);
    }

    @Test
    void followsLinksInExistingPartOfTarget() throws IOException {
        String real = temp.toRealPath().toString();
        assertThat(new LocalTarget(path("link")).path().text()).isEqualTo(real + "/a/");
        assertThat(new LocalTarget(path("link/x/y")).path().text()).isEqualTo(real + "/a/x/y");
        assertThat(new LocalTarget(path("link/x/")).path().text()).isEqualTo(real + "/a/x/");
        assertThat(new LocalTarget(RawPath.ofText("new")).path().text())
                .isEqualTo(Path.of("").toRealPath() + "/new");
    }
}
