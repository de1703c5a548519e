package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.transport.Await;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How sessions share the descriptors of the files that they write: 52 are one share. */
@Timeout(60)
class OpenFilesTest {
    private final Budgets budgets = new Budgets(Map.of(Resource.FILES, 104L), () -> false);
    private final OpenFiles files = new OpenFiles(budgets.open("key"));

    @Test
    void aLaneWaitsUntilThereIsRoom() throws Exception {
        for (int i = 0; i < 13; i++) {
            files.beginOpening(4);
        }
        AtomicReference<Thread> lane = new AtomicReference<>(Thread.currentThread());
        CompletableFuture<Void> opening = CompletableFuture.runAsync(() -> {
            lane.set(Thread.currentThread());
            files.beginOpening(4);
        });
        Await.until("the lane waits", () -> lane.get().getState() == Thread.State.TIMED_WAITING || opening.isDone());
        assertThat(opening).isNotDone();
        assertThat(files.count()).isEqualTo(52);
        files.closed(4);
        opening.get(30, TimeUnit.SECONDS);
        assertThat(files.count()).isEqualTo(52);
    }

    @Test
    void failsWhenDescriptorsOfTheShareAreUsedUp() {
        OpenFiles impatient = new OpenFiles(budgets.open("key"), 1);
        for (int i = 0; i < 13; i++) {
            impatient.beginOpening(4);
        }
        assertThatThrownBy(() -> impatient.beginOpening(4)).hasMessageContaining("(ulimit -n)");
        assertThat(impatient.count()).isEqualTo(52);
    }

    @Test
    void filesHeldByOneSessionLeaveRoomForTheNext() {
        files.beginOpening(50);
        OpenFiles others = new OpenFiles(budgets.open("key"));
        others.beginOpening(24);
        assertThat(others.count()).isEqualTo(24);
    }

    /** Otherwise lanes that wait for descriptors for new files would never serve the files that have them. */
    @Test
    void filesToResumeLeaveHalfOfTheRoom() {
        while (files.hasRoomToResume()) {
            files.beginOpening(4);
        }
        assertThat(files.count()).isBetween(24, 32);
        files.beginOpening(16);
        assertThat(files.hasRoomToResume()).isFalse();
    }
}
