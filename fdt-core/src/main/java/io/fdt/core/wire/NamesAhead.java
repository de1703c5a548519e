package io.fdt.core.wire;

import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names that were sent ahead of a request because they did not fit into it, bounded over all messages. For one
 * thread.
 */
public final class NamesAhead {
    private static final int CBOR_OVERHEAD_BYTES = 5;
    private static final long MAX_PAGE_BYTES = Bounds.MAX_MESSAGE_BYTES / 2;

    private final List<RawPath> names = new ArrayList<>();
    private long bytes;

    /** Throws USAGE if there are too many. */
    public void add(TransferMessage.SourceNames more) {
        for (RawPath name : more.names()) {
            bytes += name.lengthBytes();
        }
        names.addAll(more.names());
        TransferPlan.requireFewNames(names.size(), bytes);
    }

    /** Returns the request with its own names and those sent ahead of it. */
    public ControlMessage completed(ControlMessage request) {
        if (names.isEmpty()) {
            return request;
        }
        if (request instanceof ThirdPartyMessage.OpenThirdParty asked) {
            return asked.withRequest(completed(asked.request()));
        }
        if (request instanceof ThirdPartyMessage.OpenDelegation delegation) {
            return new ThirdPartyMessage.OpenDelegation(completed(delegation.request()), delegation.retryMs());
        }
        return request instanceof TransferMessage.OpenTransfer transfer
                ? new TransferMessage.OpenTransfer(completed(transfer.request()))
                : request;
    }

    private TransferPlan completed(TransferPlan request) {
        List<RawPath> own = request.find(CopyValue.NAMES);
        if (own != null) {
            names.addAll(own);
        }
        return request.with(CopyValue.NAMES, names);
    }

    public static TransferPlan without(TransferPlan request) {
        return request.has(CopyValue.NAMES) ? request.with(CopyValue.NAMES, List.of()) : request;
    }

    /** Splits names into messages to send ahead, because a list may be longer than a message. */
    public static List<TransferMessage.SourceNames> pages(@Nullable List<RawPath> names) {
        List<RawPath> all = names == null ? List.of() : names;
        TransferPlan.requireFewNames(
                all.size(), all.stream().mapToLong(RawPath::lengthBytes).sum());
        List<TransferMessage.SourceNames> pages = new ArrayList<>();
        List<RawPath> page = new ArrayList<>();
        long pageBytes = 0;
        for (RawPath name : all) {
            int bytes = name.lengthBytes() + CBOR_OVERHEAD_BYTES;
            if (page.size() == Bounds.MAX_LIST || pageBytes + bytes > MAX_PAGE_BYTES) {
                pages.add(new TransferMessage.SourceNames(page));
                page = new ArrayList<>();
                pageBytes = 0;
            }
            page.add(name);
            pageBytes += bytes;
        }
        if (!page.isEmpty()) {
            pages.add(new TransferMessage.SourceNames(page));
        }
        return pages;
    }
}
