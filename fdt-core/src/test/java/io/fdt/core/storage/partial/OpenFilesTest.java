package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How sessions share the descriptors of their process: 52 are one share, and files leave a part of it. */
class OpenFilesTest {
    private final Budgets budgets = new Budgets(Map.of(Resource.DESCRIPTORS, 104L), () -> false);
    private final OpenFiles files = new OpenFiles(budgets.open("key"));

    @Test
    void aLaneWaitsUntilThereIsRoom() throws InterruptedException {
        for (int i = 0; i < 11; i++) {
            files.beginOpening(4);
        }
        Thread lane = new Thread(() -> files.beginOpening(4), "lane");
        lane.start();
        while (lane.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(files.count()).isEqualTo(44);
        files.closed(4);
        lane.join();
        assertThat(files.count()).isEqualTo(44);
    }

    @Test
    void failsWhenDescriptorsOfTheShareAreUsedUp() {
        OpenFiles impatient = new OpenFiles(budgets.open("key"), 1);
        for (int i = 0; i < 11; i++) {
            impatient.beginOpening(4);
        }
        assertThatThrownBy(() -> impatient.beginOpening(4)).hasMessageContaining("file descriptors (ulimit -n)");
        assertThat(impatient.count()).isEqualTo(44);
    }

    @Test
    void filesHeldByOneSessionLeaveRoomForTheNext() {
        files.opened(50);
        OpenFiles others = new OpenFiles(budgets.open("key"));
        others.beginOpening(24);
        assertThat(others.count()).isEqualTo(24);
    }

    /** Otherwise lanes that wait for descriptors for new files would never serve the files that have them. */
    @Test
    void filesToResumeLeaveHalfOfTheRoom() {
        while (files.hasRoomToResume()) {
            files.opened(4);
        }
        assertThat(files.count()).isBetween(24, 32);
        files.beginOpening(16);
        assertThat(files.hasRoomToResume()).isFalse();
    }
}
