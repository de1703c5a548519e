package io.fdt.core.thirdparty;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.transport.Schedules;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ThirdPartyMessage.FileEnd;
import io.fdt.core.wire.ThirdPartyMessage.FileReport;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A copy that waits for the client that follows it, whose confirmations come at any moment, or end. */
final class FilePagesSchedulesTest {
    /** Each fills a page. */
    private static final FileReport FILE =
            new FileReport("x".repeat(Bounds.MAX_MESSAGE_BYTES), FileEnd.COPIED, 1, Map.of(), null);

    private static FilePages full(AtomicInteger sent) throws InterruptedException {
        FilePages pages = new FilePages(page -> sent.incrementAndGet());
        for (int i = 0; i < Bounds.MAX_TOLD_PAGES; i++) {
            pages.add(FILE);
        }
        pages.add(FILE);
        return pages;
    }

    @Test
    void aConfirmationLetsTheCopyGoOnWheneverItComes() {
        Schedules.explore(60, () -> {
            AtomicInteger sent = new AtomicInteger();
            FilePages pages = full(sent);
            together(() -> pages.add(FILE), () -> require(pages.onConfirmed(2), "so many are sent"));
            require(sent.get() == Bounds.MAX_TOLD_PAGES + 2, "all are sent, and not " + sent.get());
        });
    }

    @Test
    void aClientThatLeavesLetsTheCopyGoOnWheneverItDoes() {
        Schedules.explore(60, () -> {
            AtomicInteger sent = new AtomicInteger();
            FilePages pages = full(sent);
            together(() -> pages.add(FILE), pages::close);
            require(sent.get() == Bounds.MAX_TOLD_PAGES, "no more are sent than it may have, and not " + sent.get());
        });
    }
}
