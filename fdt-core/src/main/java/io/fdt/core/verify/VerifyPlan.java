package io.fdt.core.verify;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.RawPath;
import org.jspecify.annotations.Nullable;

/**
 * A checked verify command. Immutable.
 *
 * @param tree what is verified; with a receipt, what was the target of the copy
 * @param other what the tree is compared with; null with a receipt
 * @param receiptFile of the copy; null with another tree
 * @param extras with a receipt: what stands below the tree and is not in the receipt counts as a difference
 * @param metadata modes and times are compared, too
 * @param device contents are read from the device and not from the page cache
 * @param digest of contents; a receipt has its own
 * @param threads that hash on each machine
 */
public record VerifyPlan(
        Side tree,
        @Nullable Side other,
        @Nullable RawPath receiptFile,
        boolean extras,
        boolean metadata,
        boolean device,
        DigestKind digest,
        int threads,
        long timeoutMs) {

    public VerifyPlan {
        if ((other == null) == (receiptFile == null)) {
            throw new IllegalArgumentException("a tree is verified against another one or against a receipt");
        }
    }

    /**
     * Where a tree is.
     *
     * @param host null for this machine
     * @param shown as the user wrote it, for messages
     */
    public record Side(@Nullable String host, int port, RawPath path, String shown) {}
}
