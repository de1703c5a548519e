package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor.Writers;
import io.fdt.core.storage.posix.FileStatus.State;
import io.fdt.core.storage.posix.TreeWatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a file of a watched directory is complete, with a tree in memory and a clock that the test moves. */
final class CompleteFilesTest {
    private final FakeTree tree = new FakeTree();
    private long nanos = 1_000_000_000;
    private final CompleteFiles files = new CompleteFiles(tree, () -> nanos);

    private final class FakeTree implements WatchedTree {
        final Map<String, Look> files = new LinkedHashMap<>();
        final List<Consumer<TreeWatch.Events>> events = new ArrayList<>();
        boolean reporting = true;
        int looks;
        int scans;
        long scanNanos;

        void put(String name, long sizeBytes, Writers writers) {
            files.put(name, new Look(new State(1, sizeBytes, sizeBytes, 0), writers));
        }

        @Override
        public void report(TreeWatch.Events to) {
            events.forEach(event -> event.accept(to));
            events.clear();
        }

        @Override
        public void scan(RawPath directory, BiConsumer<RawPath, State> found) {
            scans++;
            nanos += scanNanos;
            files.forEach((name, look) -> {
                RawPath path = RawPath.ofText(name);
                if (path.relativeTo(directory) != null) {
                    found.accept(path, look.state());
                }
            });
        }

        @Override
        public @Nullable Look look(RawPath file) {
            looks++;
            return files.get(file.text());
        }

        @Override
        public boolean reportsAll() {
            return reporting;
        }
    }

    /** Lets the time pass as the thread that watches does, and returns the files that are complete then. */
    private List<String> after(long passedNanos) {
        long end = nanos + passedNanos;
        files.step();
        while (nanos < end) {
            nanos = Math.min(end, nanos + Math.max(1_000_000, TimeUnit.MILLISECONDS.toNanos(files.pauseMs())));
            files.step();
        }
        return files.take().stream().map(RawPath::text).toList();
    }

    private void closed(String name) {
        tree.events.add(to -> to.onClosed(RawPath.ofText(name)));
    }

    /** A process makes a file: its name appears, and the process opens it. */
    private void created(String name) {
        linked(name);
        tree.events.add(to -> to.onOpened(RawPath.ofText(name)));
    }

    private void linked(String name) {
        tree.events.add(to -> to.onCreated(RawPath.ofText(name)));
    }

    private void copied(String... names) {
        files.onEnd(paths(names), Set.copyOf(paths(names)), Set.of(), false);
    }

    private void failed(String... names) {
        files.onEnd(paths(names), Set.of(), Set.copyOf(paths(names)), false);
    }

    private static List<RawPath> paths(String... names) {
        return List.of(names).stream().map(RawPath::ofText).toList();
    }

    @Test
    void aFileThatIsClosedIsCompleteWhenASecondLookFindsItUnchanged() {
        after(0);
        tree.put("f", 1, Writers.NONE);
        closed("f");
        assertThat(after(CompleteFiles.QUIET_NANOS / 2)).isEmpty();
        tree.put("f", 2, Writers.NONE);
        assertThat(after(CompleteFiles.QUIET_NANOS)).isEmpty();
        assertThat(after(CompleteFiles.QUIET_NANOS)).containsExactly("f");
        assertThat(after(CompleteFiles.RESCAN_NANOS)).isEmpty();
    }

    @Test
    void aFileThatIsStillOpenIsNotCompleteHoweverLongItDoesNotChange() {
        tree.put("found", 1, Writers.SOME);
        after(0);
        tree.put("closed once", 1, Writers.SOME);
        closed("closed once");
        assertThat(after(3 * CompleteFiles.RESCAN_NANOS)).isEmpty();
        tree.put("found", 1, Writers.NONE);
        tree.put("closed once", 1, Writers.NONE);
        closed("found");
        closed("closed once");
        assertThat(after(2 * CompleteFiles.QUIET_NANOS)).containsExactlyInAnyOrder("found", "closed once");
    }

    @Test
    void aNewFileIsNotCompleteBeforeItIsClosedWhereTheKernelDoesNotKnowItsWriters() {
        after(0);
        tree.put("f", 1, Writers.UNKNOWN);
        created("f");
        assertThat(after(3 * CompleteFiles.RESCAN_NANOS)).isEmpty();
        closed("f");
        assertThat(after(2 * CompleteFiles.QUIET_NANOS)).containsExactly("f");
    }

    @Test
    void aFileThatIsLinkedIntoPlaceIsCompleteWhereTheKernelDoesNotKnowItsWriters() {
        after(0);
        tree.put("f", 1, Writers.UNKNOWN);
        linked("f");
        assertThat(after(3 * CompleteFiles.SETTLE_NANOS)).containsExactly("f");
    }

    @Test
    void aFileThatIsMadeAnewBeforeItsCopyIsNotCompleteBeforeItIsClosed() {
        after(0);
        tree.put("f", 1, Writers.UNKNOWN);
        created("f");
        closed("f");
        assertThat(after(CompleteFiles.QUIET_NANOS / 2)).isEmpty();
        tree.put("f", 2, Writers.UNKNOWN);
        created("f");
        assertThat(after(CompleteFiles.RESCAN_NANOS)).isEmpty();
    }

    @Test
    void aFileThatIsLinkedOverOneThatIsBeingCopiedIsCopiedToo() {
        after(0);
        tree.put("f", 1, Writers.UNKNOWN);
        closed("f");
        assertThat(after(2 * CompleteFiles.QUIET_NANOS)).containsExactly("f");
        tree.put("f", 2, Writers.UNKNOWN);
        linked("f");
        files.step();
        copied("f");
        assertThat(after(3 * CompleteFiles.SETTLE_NANOS)).containsExactly("f");
    }

    @Test
    void aFileThatIsMadeAnewWhileItIsCopiedIsNotCompleteBeforeItIsClosed() {
        after(0);
        tree.put("f", 1, Writers.UNKNOWN);
        tree.put("fails", 1, Writers.UNKNOWN);
        tree.put("cut off", 1, Writers.UNKNOWN);
        closed("f");
        closed("fails");
        closed("cut off");
        assertThat(after(2 * CompleteFiles.QUIET_NANOS)).hasSize(3);
        tree.put("f", 2, Writers.UNKNOWN);
        tree.put("fails", 2, Writers.UNKNOWN);
        tree.put("cut off", 2, Writers.UNKNOWN);
        created("f");
        created("fails");
        created("cut off");
        files.step();
        copied("f");
        failed("fails");
        files.onEnd(paths("cut off"), Set.of(), Set.of(), false);
        assertThat(after(CompleteFiles.RESCAN_NANOS)).isEmpty();
        closed("f");
        closed("fails");
        closed("cut off");
        assertThat(after(2 * CompleteFiles.QUIET_NANOS)).containsExactly("cut off", "f", "fails");
    }

    @Test
    void aFileThatChangesBeforeItsCopyIsNotCopiedBeforeItIsCompleteAgain() {
        after(0);
        for (String name : List.of("made anew", "written again", "same")) {
            tree.put(name, 1, Writers.UNKNOWN);
            closed(name);
        }
        // Another copy runs meanwhile, so nobody takes them.
        while (!files.hasReady()) {
            nanos += CompleteFiles.QUIET_NANOS;
            files.step();
        }
        tree.put("made anew", 2, Writers.UNKNOWN);
        tree.put("written again", 2, Writers.UNKNOWN);
        created("made anew");
        closed("written again");
        nanos += CompleteFiles.QUIET_NANOS / 2;
        files.step();
        assertThat(files.take()).containsExactly(RawPath.ofText("same"));
        assertThat(after(2 * CompleteFiles.QUIET_NANOS)).containsExactly("written again");
        closed("made anew");
        assertThat(after(2 * CompleteFiles.QUIET_NANOS)).containsExactly("made anew");
    }

    @Test
    void aDirectoryThatCannotBeWatchedIsScannedSoonAgain() {
        after(0);
        tree.events.add(to -> to.onDirectory(RawPath.ofText("sub")));
        tree.reporting = false;
        assertThat(after(CompleteFiles.QUIET_NANOS)).isEmpty();
        tree.put("sub/f", 1, Writers.UNKNOWN);
        assertThat(after(2 * CompleteFiles.SHARED_SETTLE_NANOS)).containsExactly("sub/f");
    }

    @Test
    void itTakesInEventsBetweenLooks() {
        for (int i = 0; i < 3 * CompleteFiles.MAX_LOOKS; i++) {
            tree.put("f" + i, 1, Writers.NONE);
        }
        after(CompleteFiles.SETTLE_NANOS / 2);
        int copied = 0;
        for (int step = 0; copied < tree.files.size(); step++) {
            assertThat(step).isLessThan(100);
            tree.looks = 0;
            copied += after(TimeUnit.MILLISECONDS.toNanos(files.pauseMs())).size();
            assertThat(tree.looks).isLessThanOrEqualTo(2 * CompleteFiles.MAX_LOOKS);
        }
    }

    @Test
    void filesThatMayBeOpenAreCountedAsIncomplete() {
        tree.put("open", 1, Writers.SOME);
        tree.put("complete", 1, Writers.NONE);
        assertThat(after(2 * CompleteFiles.SETTLE_NANOS)).containsExactly("complete");
        tree.events.add(to -> to.onCreated(RawPath.ofText("excluded or gone")));
        files.step();
        assertThat(files.incompleteCount()).isOne();
    }

    @Test
    void aFileThatIsLinkedIntoPlaceIsCompleteWithoutBeingClosed() {
        after(0);
        tree.put("f", 1, Writers.NONE);
        linked("f");
        assertThat(after(3 * CompleteFiles.SETTLE_NANOS)).containsExactly("f");
    }

    @Test
    void filesThatAreFoundSettleFirst() {
        tree.put("f", 1, Writers.NONE);
        assertThat(after(CompleteFiles.SETTLE_NANOS / 2)).isEmpty();
        assertThat(after(CompleteFiles.SETTLE_NANOS)).containsExactly("f");
        tree.put("sub/g", 1, Writers.UNKNOWN);
        tree.events.add(to -> to.onDirectory(RawPath.ofText("sub")));
        assertThat(after(CompleteFiles.SETTLE_NANOS / 2)).isEmpty();
        assertThat(after(CompleteFiles.SETTLE_NANOS)).containsExactly("sub/g");
    }

    @Test
    void lostEventsAreMadeUpForByAScan() {
        after(0);
        tree.put("copied", 1, Writers.NONE);
        tree.put("open", 1, Writers.UNKNOWN);
        closed("copied");
        created("open");
        assertThat(after(2 * CompleteFiles.SETTLE_NANOS)).containsExactly("copied");
        copied("copied");
        tree.put("missed", 1, Writers.NONE);
        tree.events.add(TreeWatch.Events::onLost);
        // Whether the open file was closed is unknown now.
        assertThat(after(3 * CompleteFiles.SETTLE_NANOS)).containsExactly("missed", "open");
    }

    @Test
    void withoutEventsItScansOftenAndWaitsForWritesOfOtherHosts() {
        tree.reporting = false;
        after(0);
        tree.put("f", 1, Writers.UNKNOWN);
        assertThat(after(CompleteFiles.SHARED_SETTLE_NANOS)).isEmpty();
        tree.put("f", 2, Writers.UNKNOWN);
        assertThat(after(CompleteFiles.SHARED_SETTLE_NANOS)).isEmpty();
        assertThat(after(CompleteFiles.SHARED_SETTLE_NANOS)).containsExactly("f");
    }

    @Test
    void aFileThatChangesAfterItsCopyIsCopiedAgainAndOthersAreNot() {
        tree.put("same", 1, Writers.NONE);
        tree.put("changed", 1, Writers.NONE);
        after(2 * CompleteFiles.SETTLE_NANOS);
        tree.put("changed", 2, Writers.NONE);
        closed("changed");
        closed("same");
        files.step();
        copied("same", "changed");
        assertThat(after(3 * CompleteFiles.QUIET_NANOS)).containsExactly("changed");
        copied("changed");
        assertThat(after(2 * CompleteFiles.RESCAN_NANOS)).isEmpty();
    }

    @Test
    void aFileThatFailsIsTriedAgainAfterLongerAndLongerPauses() {
        tree.put("f", 1, Writers.NONE);
        after(2 * CompleteFiles.SETTLE_NANOS);
        int tries = 0;
        for (long passed = 0; passed < CompleteFiles.RESCAN_NANOS; passed += CompleteFiles.QUIET_NANOS) {
            failed("f");
            assertThat(files.failed()).hasSize(1);
            while (after(CompleteFiles.QUIET_NANOS).isEmpty()) {
                passed += CompleteFiles.QUIET_NANOS;
            }
            tries++;
        }
        assertThat(tries).isBetween(12, 16);
        copied("f");
        assertThat(files.failed()).isEmpty();
        failed("f");
        assertThat(files.failed()).isEmpty();
    }

    @Test
    void filesWhoseRoundFailedAreReadyAtOnceAndThoseThatAreGoneAreForgotten() {
        tree.put("f", 1, Writers.NONE);
        tree.put("gone", 1, Writers.NONE);
        after(2 * CompleteFiles.SETTLE_NANOS);
        tree.files.remove("gone");
        files.onEnd(paths("f", "gone"), Set.of(), Set.of(), false);
        assertThat(after(CompleteFiles.QUIET_NANOS)).containsExactly("f");
    }

    @Test
    void completeFilesThatAreNotCopiedAreCounted() {
        tree.put("f", 1, Writers.NONE);
        tree.put("g", 1, Writers.NONE);
        tree.put("open", 1, Writers.SOME);
        assertThat(after(2 * CompleteFiles.SETTLE_NANOS)).containsExactly("f", "g");
        assertThat(files.leftCount()).isEqualTo(2);
        copied("f");
        failed("g");
        assertThat(files.leftCount()).isZero();
    }

    @Test
    void aSourceThatStaysIsNotCopiedAgain() {
        tree.put("linked", 1, Writers.NONE);
        tree.put("removed", 1, Writers.NONE);
        List<RawPath> taken = paths(after(2 * CompleteFiles.SETTLE_NANOS).toArray(String[]::new));
        tree.files.remove("removed");
        files.onEnd(taken, Set.copyOf(taken), Set.of(), true);
        tree.put("removed", 1, Writers.NONE);
        assertThat(after(2 * CompleteFiles.RESCAN_NANOS)).containsExactly("removed");
    }

    @Test
    void lostEventsDoNotMakeItScanAllTheTime() {
        tree.scanNanos = CompleteFiles.QUIET_NANOS;
        after(0);
        tree.scans = 0;
        for (int i = 0; i < 100; i++) {
            tree.events.add(TreeWatch.Events::onLost);
            after(CompleteFiles.QUIET_NANOS);
        }
        assertThat(tree.scans).isBetween(9, 10);
    }

    @Test
    void nothingIsLookedAtWhileNothingHappens() {
        for (int i = 0; i < 100; i++) {
            tree.put("copied" + i, 1, Writers.NONE);
        }
        tree.put("open", 1, Writers.SOME);
        String[] all = after(2 * CompleteFiles.SETTLE_NANOS).toArray(String[]::new);
        assertThat(all).hasSize(100);
        copied(all);
        tree.looks = 0;
        tree.scans = 0;
        after(TimeUnit.HOURS.toNanos(1));
        assertThat(tree.scans).isBetween(5, 7);
        assertThat(tree.looks).isBetween(55, 65);
        for (int i = 0; i < 1000; i++) {
            tree.put("burst" + i, 1, Writers.NONE);
            closed("burst" + i);
        }
        tree.looks = 0;
        assertThat(after(3 * CompleteFiles.QUIET_NANOS)).hasSize(1000);
        assertThat(tree.looks).isBetween(2000, 2003);
    }
}
