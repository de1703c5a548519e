package io.fdt.core.transfer.receiving;

import io.fdt.core.control.Session;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.TransferMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reports about paths of the target that are sent at the end, in messages of bounded size. For one thread. */
final class PathReports {
    private static final int MAX_PAGE_BYTES = 128 * 1024;

    private final Session session;
    private final List<TransferMessage.Deletion> page = new ArrayList<>();
    private int pageBytes;

    PathReports(Session session) {
        this.session = session;
    }

    /** @param failure null if it was deleted */
    void add(RawPath path, boolean directory, @Nullable TransferException failure) {
        Failure why = failure == null ? null : failure.failure();
        page.add(new TransferMessage.Deletion(path, directory, why));
        pageBytes += path.lengthBytes() + (why == null ? 0 : 3 * why.chars()) + 32;
        if (page.size() == Bounds.MAX_PAGE_ENTRIES || pageBytes > MAX_PAGE_BYTES) {
            send();
        }
    }

    void send() {
        if (!page.isEmpty()) {
            session.send(new TransferMessage.Deleted(List.copyOf(page)));
            page.clear();
            pageBytes = 0;
        }
    }
}
