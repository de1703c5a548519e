package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.CreationMask;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.target.TargetMirror;
import io.fdt.core.storage.target.TargetSweep;
import io.fdt.core.storage.target.TargetTree;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Work for a client stops between two steps when its session ends, from whatever thread that is noticed: everything
 * that takes longer the more a client asks for.
 */
final class EndedSessionTest extends StorageTest {
    private final Budget session = new Budgets(Map.of(), () -> false).open("key");

    /** The first step is done; what follows is a session's end, and no further step. */
    private void assertStops(Runnable step) {
        step.run();
        session.end(Cause.REFUSED.failure("the key was revoked"));
        assertThatThrownBy(step::run).hasMessage("the key was revoked");
    }

    private Root charged() {
        return Root.confined(raw(temporary), CreationMask.NONE, session);
    }

    @Test
    void matchingAPathAgainstRules() {
        PathFilter filter = new PathFilter(List.of(new PathRule(false, RawPath.ofText("x*"))), session);
        assertStops(() -> filter.excludes(RawPath.ofText("y"), false));
    }

    @Test
    void matchingPatternsAgainstADirectory() throws IOException {
        file("one", "");
        try (Root root = charged()) {
            assertStops(() -> new ListedTree(root, RawPath.ofText("o*"), ListedTree.Depth.ALL, problems).close());
        }
    }

    @Test
    void listing() throws IOException {
        file("one", "");
        file("two", "");
        try (Root root = charged();
                ListedTree tree = new ListedTree(root, RawPath.EMPTY, ListedTree.Depth.ALL, problems)) {
            assertStops(() -> assertThat(tree.next()).isNotNull());
        }
    }

    @Test
    void walkingInOrder() throws IOException {
        file("one", "");
        try (Root root = charged();
                SourceTree tree = SourceTree.inOrder(root, RawPath.EMPTY, problems)) {
            assertStops(() -> assertThat(tree.next()).isNotNull());
        }
    }

    @Test
    void sweeping() throws IOException {
        file("t/one", "");
        file("t/two", "");
        try (Root root = charged();
                TargetTree tree = targetTree(root, "t", rules(Existing.SKIP_SAME));
                TargetMirror mirror = new TargetMirror(List.of(), session)) {
            mirror.offered(directoryEntry("", 0755));
            try (TargetSweep sweep = mirror.sweep(tree, false, (path, directory, failure) -> {})) {
                assertStops(() -> assertThat(sweep.step()).isTrue());
            }
        }
    }

    @Test
    void readingTheListOfNames() throws IOException {
        file("one", "");
        TransferPlan names =
                TransferPlan.from(List.of(RawPath.EMPTY)).with(CopyValue.NAMES, List.of(RawPath.ofText("one")));
        try (Root root = charged()) {
            assertStops(() -> new SourceTree(root, names, Set.of(), problems).close());
        }
    }

    @Test
    void sortingTheNamesThatWereRequested() {
        TransferPlan sources = TransferPlan.from(
                IntStream.range(0, 4).mapToObj(i -> RawPath.ofText("s" + i)).toList());
        assertStops(() -> new RequestedEntries(sources, session));
    }

    @Test
    void matchingAnEntryAgainstTheRequest() {
        RequestedEntries requested = new RequestedEntries(TransferPlan.from(List.of(RawPath.ofText("s*"))), session);
        FileEntry entry = fileEntry("s1", 1);
        assertStops(() -> requested.require(entry));
    }
}
