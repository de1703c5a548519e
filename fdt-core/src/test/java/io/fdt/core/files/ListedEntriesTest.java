package io.fdt.core.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.Reach;
import io.fdt.core.basic.Right;
import io.fdt.core.basic.Scope;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.wire.VerifyMessage.OpenList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Listings below exported directories, without a network. */
final class ListedEntriesTest {
    @TempDir
    Path root;

    @BeforeEach
    void makeFiles() throws IOException {
        for (String directory : List.of("one", "two")) {
            Files.createDirectory(root.resolve(directory));
            Files.writeString(root.resolve(directory).resolve("f-of-" + directory), "content");
        }
    }

    private List<String> listed(String path, String... scopes) throws InterruptedException {
        List<Scope> each = Stream.of(scopes)
                .map(scope -> new Scope(scope, Set.of(Right.LIST)))
                .toList();
        ExportedRoots roots =
                new ExportedRoots(List.of(RawPath.of(root)), false).within(new Reach(true, List.of(), each));
        List<String> names = new ArrayList<>();
        OpenList request = new OpenList(RawPath.ofText(path), false, false, 1_000, null);
        try (ListedEntries entries = new ListedEntries(roots, request)) {
            for (CheckedEntry next = entries.next(); next != null; next = entries.next()) {
                names.add(next.path().text());
            }
        }
        return names;
    }

    @Test
    void withoutAPathAreTheContentsOfTheOnlyScope() throws InterruptedException {
        assertThat(listed("", "/one")).isEqualTo(listed("/one", "/one")).containsExactly("f-of-one");
    }

    @Test
    void withoutAPathAreSeveralScopes() throws InterruptedException {
        assertThat(listed("", "/one", "/two")).containsExactlyInAnyOrder("/one", "/two");
    }

    @Test
    void aPathOutsideTheOnlyScopeIsRefused() {
        for (String path : List.of("/", "/two")) {
            assertThatThrownBy(() -> listed(path, "/one"))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            refused -> assertThat(refused.failure().cause()).isEqualTo(Cause.OUTSIDE_ROOT));
        }
    }
}
