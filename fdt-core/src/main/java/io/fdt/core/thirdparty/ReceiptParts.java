package io.fdt.core.thirdparty;

import io.fdt.core.failure.TransferException;
import io.fdt.core.receipt.KeptReceipt;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyReceipt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends a receipt to the client of a copy that has ended, in parts that the client confirms like pages of files. For
 * the session's thread.
 */
final class ReceiptParts implements AutoCloseable {
    private final @Nullable KeptReceipt receipt;
    private final FilePages window;
    private final Consumer<ThirdPartyReceipt> send;
    private long sentBytes;
    /** What the client will have received in the end; negative before the first part. */
    private long totalBytes = -1;

    private boolean reads;

    /** @param receipt null for none */
    ReceiptParts(@Nullable KeptReceipt receipt, FilePages window, Consumer<ThirdPartyReceipt> send) {
        this.receipt = receipt;
        this.window = window;
        this.send = send;
    }

    /**
     * Sends as much as the client has room for; returns whether all of it is sent. Not for before the end of the copy.
     *
     * @throws TransferException SOURCE, if the rest is gone
     */
    boolean sendMore() {
        KeptReceipt from = receipt;
        if (totalBytes < 0) {
            if (from != null) {
                from.beginRead();
                reads = true;
            }
            totalBytes = from == null ? 0 : from.lengthBytes();
        }
        boolean room = true;
        while (room && from != null && sentBytes < totalBytes) {
            room = window.trySend(() -> sendPart(from));
        }
        return room;
    }

    /** Nothing more is sent. */
    @Override
    public void close() {
        if (reads && receipt != null) {
            reads = false;
            receipt.endRead();
        }
    }

    private void sendPart(KeptReceipt from) {
        byte[] part = from.part(sentBytes, Bounds.MAX_RECEIPT_PART_BYTES);
        sentBytes += part.length;
        send.accept(new ThirdPartyReceipt(part, totalBytes - sentBytes));
    }
}
