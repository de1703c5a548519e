package io.fdt.core.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.Reach;
import io.fdt.core.basic.Right;
import io.fdt.core.basic.Scope;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.SourceProblems;
import io.fdt.core.storage.source.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the scopes of a token reach in the exported directories. */
final class TokenScopesOnDiskTest {
    private static final Set<Right> READS = Set.of(Right.LIST, Right.READ);
    private static final Set<Right> CREATES = Set.of(Right.LIST, Right.APPEND);
    private static final Set<Right> CHANGES = Set.of(Right.APPEND, Right.WRITE, Right.DELETE);

    @TempDir
    Path dir;

    @BeforeEach
    void makeFiles() throws IOException {
        for (String file : List.of("vo/data/f", "vo/data/f2", "vo/data2/f", "vo/data/sub/f", "secret/f")) {
            Files.createDirectories(Objects.requireNonNull(dir.resolve(file).getParent()));
            Files.writeString(dir.resolve(file), file);
        }
        Files.createSymbolicLink(dir.resolve("vo/data/link"), Path.of("../data2/f"));
        Files.createSymbolicLink(dir.resolve("vo/alias"), Path.of("data"));
    }

    private ExportedRoots exported(Scope... scopes) {
        return new ExportedRoots(List.of(RawPath.of(dir)), false)
                .within(new Reach(true, List.of(dir.resolve("vo").toString()), List.of(scopes)));
    }

    private static boolean reads(ExportedRoots roots, String path) {
        try (Located at = roots.find(RawPath.ofText(path)).locate()) {
            int fd = at.root().open(at.path(), Paths.O_RDONLY, 0);
            Descriptor.closeFd(fd);
            return fd >= 0;
        } catch (TransferException refused) {
            assertThat(refused.failure().cause()).isEqualTo(Cause.OUTSIDE_ROOT);
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/data/f", "data/f", "//data//f", "/data/sub/f", "/data/sub/../f"})
    void reachesWhatIsBelow(String path) {
        assertThat(reads(exported(new Scope("/data", READS)), path)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/data2/f",
                "/dat",
                "/",
                "",
                "/data/../data2/f",
                "/./data2/f",
                "/data/link",
                "/data/../../secret/f",
                "/../secret/f",
                "/sub/f"
            })
    void reachesNothingElse(String path) {
        assertThat(reads(exported(new Scope("/data", READS)), path)).isFalse();
    }

    /** A link in its path could be changed by somebody else, to lead anywhere in the export. */
    @Test
    void followsNoLinkToItsScope() {
        assertThatThrownBy(() -> exported(new Scope("/alias", READS))
                        .find(RawPath.ofText("/alias/f"))
                        .openRoot())
                .isInstanceOf(TransferException.class);
    }

    @Test
    void eachScopeHasItsOwnRights() {
        ExportedRoots roots = exported(new Scope("/", CREATES), new Scope("/data", CHANGES));
        try (Root whole = roots.find(RawPath.ofText("/data2/f")).openRoot();
                Root data = roots.find(RawPath.ofText("/data/f")).openRoot()) {
            assertThat(whole.mask().onlyNewNames()).isTrue();
            assertThat(data.mask().onlyNewNames()).isFalse();
        }
    }

    @Test
    void aScopeForReadingMayBeAFile() throws IOException {
        ExportedRoots roots = exported(new Scope("/data/f", READS));
        assertThat(List.of("/data/f", "data/f", "//data//f")).allMatch(path -> reads(roots, path));
        assertThat(List.of("/data", "/data/f2", "/data/f/../f2", "/data/f/", "/data/sub/f", "/data2/f", "/"))
                .noneMatch(path -> reads(roots, path));
        SourceProblems ignoring = new SourceProblems() {
            @Override
            public void onFailed(RawPath path, TransferException reason) {}

            @Override
            public void onSkipped(RawPath path, String reason) {}
        };
        try (Located at = roots.find(RawPath.ofText("/data/f")).locate()) {
            for (String path : List.of("f2", "./f2", "f/../f2", "sub/f", "..", "../data2/f", "")) {
                assertThat(at.root().open(RawPath.ofText(path), Paths.O_RDONLY, 0))
                        .as(path)
                        .isNegative();
            }
            for (List<RawPath> named : List.of(List.of(RawPath.ofText("f2")), List.of(RawPath.ofText("f*")))) {
                assertThatThrownBy(() -> new SourceTree(at.root(), TransferPlan.from(named), Set.of(), ignoring))
                        .isInstanceOf(TransferException.class);
            }
            // Somebody else replaces the file meanwhile.
            Files.delete(dir.resolve("vo/data/f"));
            Files.createSymbolicLink(dir.resolve("vo/data/f"), Path.of("f2"));
            assertThat(at.root().open(at.path(), Paths.O_RDONLY, 0)).isNegative();
        }
        assertThatThrownBy(() -> roots.find(RawPath.ofText("/data/f")).openRoot())
                .isInstanceOf(TransferException.class);
    }

    /** The client knows its scope, and not where the server keeps what it exports. */
    @ParameterizedTest
    @ValueSource(strings = {"/data/link", "/alias", "/data/none", "/data/f/below"})
    void aScopeThatCannotBeOpenedTellsNoPathOfTheServer(String scope) {
        ExportedRoots roots = exported(new Scope(scope, READS));
        assertThatThrownBy(() -> roots.find(RawPath.ofText(scope)).openRoot())
                .isInstanceOfSatisfying(
                        TransferException.class,
                        refused -> assertThat(refused.failure().path()).isEqualTo(scope))
                .hasMessageNotContaining(dir.toString())
                .hasMessageNotContaining("vo/");
    }

    /** What is written has files beside it until it is complete. */
    @Test
    void aScopeForWritingIsADirectory() {
        ExportedRoots roots = exported(new Scope("/data/f", CHANGES));
        assertThatThrownBy(() -> roots.find(RawPath.ofText("/data/f")).openRoot())
                .isInstanceOf(TransferException.class);
    }

    @Test
    void tokenWithoutSufficientScopeReachesNothing() {
        assertThat(reads(exported(), "/data/f")).isFalse();
    }

    @Test
    void directoryOfScopeIsMadeForWhatIsWrittenInIt() throws IOException {
        ExportedRoots roots = exported(new Scope("/new/job1", CREATES));
        assertThatThrownBy(() -> roots.find(RawPath.ofText("/new/job1")).openRoot())
                .isInstanceOf(TransferException.class);
        roots.find(RawPath.ofText("/new/job1/out/f")).openRoot().close();
        assertThat(dir.resolve("vo/new/job1")).isEmptyDirectory();
        ExportedRoots readable = exported(new Scope("/other", READS));
        assertThatThrownBy(() -> readable.find(RawPath.ofText("/other/f")).openRoot())
                .isInstanceOf(TransferException.class);
        assertThat(dir.resolve("vo/other")).doesNotExist();
    }

    /** Without a directory of the issuer, scopes are written as clients write paths. */
    @Test
    void scopesNameOneOfSeveralExports() {
        ExportedRoots two =
                new ExportedRoots(List.of(RawPath.of(dir.resolve("vo")), RawPath.of(dir.resolve("secret"))), false);
        ExportedRoots roots = two.within(new Reach(false, List.of(), List.of(new Scope("/vo/data", READS))));
        assertThat(reads(roots, "/vo/data/f")).isTrue();
        assertThat(reads(roots, "/vo/data2/f")).isFalse();
        assertThat(reads(roots, "/secret/f")).isFalse();
        ExportedRoots all = two.within(new Reach(false, List.of(), List.of(new Scope("/", READS))));
        assertThat(reads(all, "/secret/f")).isTrue();
        assertThat(all.paths()).containsExactly(RawPath.ofText("/vo"), RawPath.ofText("/secret"));
    }
}
