package io.fdt.core.wire;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import java.util.ArrayList;
import java.util.List;

/** Names that came ahead of a request because they did not fit into it, bounded over all messages. One thread. */
public final class NamesAhead {
    private final List<RawPath> names = new ArrayList<>();
    private long bytes;

    /** Throws REFUSED when there are too many. */
    public void add(TransferMessage.SourceNames more) {
        for (RawPath name : more.names()) {
            bytes += name.lengthBytes();
        }
        names.addAll(more.names());
        if (names.size() > Bounds.MAX_NAMES || bytes > Bounds.MAX_NAMES_BYTES) {
            throw new TransferException(FailureKind.REFUSED, "more than " + Bounds.MAX_NAMES + " names in one request");
        }
    }

    /** The request with the names that came ahead of it and its own. */
    public ControlMessage completed(ControlMessage request) {
        if (names.isEmpty() || !(request instanceof TransferMessage.OpenTransfer transfer)) {
            return request;
        }
        List<RawPath> own = transfer.selection().names();
        if (own != null) {
            names.addAll(own);
        }
        return transfer.withNames(names);
    }
}
