package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.CreationMask;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Walks of deep trees hold no descriptor that is not in the budget of their session. */
final class WalkDescriptorsTest extends StorageTest {
    private static final int LEVELS = 60;
    private static final long TOTAL = 512;

    private final Budgets budgets = new Budgets(Map.of(Resource.DESCRIPTORS, TOTAL), () -> true);
    private final Map<Walk, List<String>> found = new HashMap<>();

    /** A walk in progress with its root. */
    private record Walk(Root root, Sources tree) implements AutoCloseable {
        @Override
        public void close() {
            tree.close();
            root.close();
        }
    }

    @BeforeEach
    void makeDeepTree() throws IOException {
        Path directory = temporary;
        for (int level = 0; level < LEVELS; level++) {
            directory = Files.createDirectory(directory.resolve("d"));
            Files.createFile(directory.resolve("z"));
        }
    }

    private Walk begin(Budget budget) {
        Root root = Root.confined(raw(temporary), CreationMask.NONE, budget);
        try {
            return new Walk(root, SourceTree.inOrder(root, RawPath.EMPTY, problems));
        } catch (RuntimeException noRoom) {
            root.close();
            throw noRoom;
        }
    }

    private boolean step(Walk walk) {
        FileEntry entry = walk.tree.next();
        if (entry != null) {
            found.computeIfAbsent(walk, each -> new ArrayList<>())
                    .add(entry.path().text());
        }
        return entry != null;
    }

    private long openBelow() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .filter(each -> {
                        try {
                            return Files.readSymbolicLink(each).startsWith(temporary.toRealPath());
                        } catch (IOException gone) {
                            return false;
                        }
                    })
                    .count();
        }
    }

    @Test
    void whatAWalkHasOpenIsChargedAndGivenBack() throws IOException {
        Budget budget = budgets.open("key");
        try (Walk walk = begin(budget)) {
            for (int i = 0; i < LEVELS; i++) {
                step(walk);
                assertThat(budget.held(Resource.DESCRIPTORS)).isEqualTo(openBelow());
            }
            budget.close();
            assertThat(budgets.heldBy("key", Resource.DESCRIPTORS)).isEqualTo(openBelow());
        }
        assertThat(budgets.heldBy("key", Resource.DESCRIPTORS)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 7, 16, 60})
    void aWalkAtItsShareFindsEverything(int descriptors) {
        Budgets few = new Budgets(Map.of(Resource.DESCRIPTORS, (long) descriptors), () -> false);
        Budget budget = few.open("key");
        try (Walk walk = begin(budget)) {
            while (step(walk)) {
                assertThat(budget.held(Resource.DESCRIPTORS)).isLessThanOrEqualTo(descriptors);
            }
            // Each level has a directory and a file, except that the last has no directory; and the top.
            assertThat(found.get(walk)).hasSize(2 * LEVELS + 1).doesNotHaveDuplicates();
        }
        assertThat(failed).isEmpty();
    }

    @Test
    void aDirectoryThatWasReplacedWhileItWasClosedIsNotEntered() throws IOException {
        Budgets few = new Budgets(Map.of(Resource.DESCRIPTORS, 4L), () -> false);
        Path secret = Files.createDirectory(temporary.resolve("secret"));
        Files.createFile(secret.resolve("z"));
        try (Walk walk = begin(few.open("key"))) {
            for (int i = 0; i < LEVELS; i++) {
                step(walk);
            }
            Files.move(temporary.resolve("d/d"), temporary.resolve("moved"));
            Files.createSymbolicLink(temporary.resolve("d/d"), secret);
            while (step(walk)) {
                // To the end.
            }
            assertThat(found.get(walk)).doesNotContain("d/d/z");
        }
        assertThat(failed).isNotEmpty();
    }

    @Test
    void manyDeepWalksOfAKeyLeaveDescriptorsToOthers() throws IOException {
        List<Walk> walks = new ArrayList<>();
        try {
            for (int session = 0; session < 32; session++) {
                Budget budget = budgets.open("greedy");
                for (int i = 0; i < 8; i++) {
                    try {
                        Walk walk = begin(budget);
                        walks.add(walk);
                        for (int level = 0; level < LEVELS; level++) {
                            step(walk);
                        }
                    } catch (TransferException full) {
                        assertThat(full).hasMessageContaining("ulimit -n");
                    }
                    assertThat(budgets.heldBy("greedy", Resource.DESCRIPTORS))
                            .isEqualTo(openBelow())
                            .isLessThanOrEqualTo(TOTAL / 2);
                }
            }
            assertThat(budgets.heldBy("greedy", Resource.DESCRIPTORS)).isGreaterThan(TOTAL / 4);
            Budget honest = budgets.open("honest");
            assertThat(honest.tryTake(Resource.DESCRIPTORS, 64)).isTrue();
        } finally {
            walks.forEach(Walk::close);
        }
        assertThat(budgets.heldBy("greedy", Resource.DESCRIPTORS)).isZero();
        assertThatThrownBy(() -> begin(closed())).hasMessageContaining("ulimit -n");
    }

    private Budget closed() {
        Budget ended = budgets.open("ended");
        ended.close();
        return ended;
    }
}
