package io.fdt.core.verify;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.plan.RawPath;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A checked verify command. Immutable.
 *
 * @param tree what is verified; with a receipt, what was the target of the copy
 * @param other what the tree is compared with; null with a receipt or a manifest file
 * @param receiptFile of the copy, or its manifest file; null with another tree
 * @param extras with a receipt: what stands below the tree and is not in the receipt counts as a difference
 * @param device contents are read from the device and not from the page cache
 * @param digest of contents; a {@link FileHash} makes {@code receiptFile} a manifest file; a receipt has its own
 * @param threads that hash on each machine
 */
public record VerifyPlan(
        Side tree,
        @Nullable Side other,
        @Nullable RawPath receiptFile,
        boolean extras,
        boolean metadata,
        boolean device,
        HashKind digest,
        int threads,
        long timeoutMs) {

    private static final long USUAL_TIMEOUT_MS = 30_000;
    private static final int USUAL_THREADS_AT_MOST = 16;

    /** Two trees against each other: kinds, sizes, contents and link targets. */
    public static VerifyPlan trees(Side tree, Side other) {
        return new VerifyPlan(
                tree, other, null, false, false, false, DigestKind.XXH3_128, usualThreads(), USUAL_TIMEOUT_MS);
    }

    /** A tree against the receipt of the copy whose target it was. */
    public static VerifyPlan receipt(Side tree, Path receiptFile) {
        return new VerifyPlan(
                tree,
                null,
                RawPath.of(receiptFile),
                false,
                false,
                false,
                DigestKind.XXH3_128,
                usualThreads(),
                USUAL_TIMEOUT_MS);
    }

    /** The same, and modes and times are compared, too. */
    public VerifyPlan withMetadata() {
        return new VerifyPlan(tree, other, receiptFile, extras, true, device, digest, threads, timeoutMs);
    }

    static int usualThreads() {
        return Math.min(USUAL_THREADS_AT_MOST, Runtime.getRuntime().availableProcessors());
    }

    public VerifyPlan {
        if ((other == null) == (receiptFile == null)) {
            throw new IllegalArgumentException("a tree is verified against another one or against a receipt");
        }
        if (receiptFile == null && digest instanceof FileHash) {
            throw new IllegalArgumentException("two trees are compared by the digests of their leaves");
        }
    }

    /** Where a tree is, without a host here, and as the user wrote it, for messages. */
    public record Side(@Nullable String host, int port, RawPath path, String shown) {
        /** On this machine. */
        public static Side here(Path path) {
            RawPath raw = RawPath.of(path);
            return new Side(null, 0, raw, raw.display());
        }

        /** On a server, inside what it exports. */
        public static Side at(String host, int port, String path) {
            RawPath raw = RawPath.ofText(path);
            return new Side(host, port, raw, host + ":" + port + raw.display());
        }
    }
}
