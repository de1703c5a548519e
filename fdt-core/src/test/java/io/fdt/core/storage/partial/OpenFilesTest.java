package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How sessions share the descriptors of their process. */
class OpenFilesTest {
    private final OpenFiles.Pool pool = new OpenFiles.Pool(100);
    private final OpenFiles files = new OpenFiles(pool);

    @Test
    void aLaneWaitsUntilThereIsRoom() throws InterruptedException {
        for (int i = 0; i < 13; i++) {
            files.beginOpening(4);
        }
        Thread lane = new Thread(() -> files.beginOpening(4), "lane");
        lane.start();
        while (lane.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(files.count()).isEqualTo(52);
        files.closed(4);
        lane.join();
        assertThat(files.count()).isEqualTo(52);
    }

    @Test
    void whatOneSessionHoldsLeavesRoomForTheNext() {
        files.opened(50);
        OpenFiles others = new OpenFiles(pool);
        others.beginOpening(24);
        assertThat(others.count()).isEqualTo(24);
    }

    /** Otherwise lanes that wait for descriptors for new files would never serve the files that have them. */
    @Test
    void filesToResumeLeaveHalfOfTheRoom() {
        int resumed = 0;
        while (files.hasRoomToResume()) {
            files.opened(4);
            resumed++;
        }
        assertThat(resumed).isEqualTo(9);
        files.beginOpening(16);
        assertThat(files.hasRoomToResume()).isFalse();
    }
}
