package io.fdt.core.verify;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.RawPath;
import io.fdt.core.wire.Bounds;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A checked verify command. Immutable.
 *
 * @param tree to verify; with a receipt, the target of the copy
 * @param device contents are read from the device and not from the page cache
 * @param digest of contents; a {@link FileHash} means that a manifest file is expected; a receipt has its own
 * @param threads for hashing on each host
 */
public record VerifyPlan(
        Side tree, Expected expected, boolean metadata, boolean device, HashKind digest, int threads, long timeoutMs) {

    private static final long DEFAULT_TIMEOUT_MS = 30_000;
    private static final int DEFAULT_THREADS_MAX = 16;

    /** Compares two trees: kinds, sizes, contents and link targets. */
    public static VerifyPlan trees(Side tree, Side other) {
        return of(tree, other);
    }

    /** Compares the target of a copy with its receipt. */
    public static VerifyPlan receipt(Side tree, Path receiptFile) {
        return of(tree, new ListFile(RawPath.of(receiptFile), false));
    }

    private static VerifyPlan of(Side tree, Expected expected) {
        return new VerifyPlan(tree, expected, false, false, DigestKind.XXH3_128, defaultThreads(), DEFAULT_TIMEOUT_MS);
    }

    static int defaultThreads() {
        return Math.min(DEFAULT_THREADS_MAX, Runtime.getRuntime().availableProcessors());
    }

    public VerifyPlan {
        if (expected instanceof Side && digest instanceof FileHash) {
            throw new IllegalArgumentException("two trees are compared by the digests of their leaves");
        }
        if (threads < 1 || threads > Bounds.MAX_VERIFY_THREADS) {
            throw Cause.USAGE.failure(
                    "a host hashes with 1 to " + Bounds.MAX_VERIFY_THREADS + " threads, not " + threads);
        }
    }

    /** What the tree is compared with. */
    public sealed interface Expected {}

    /**
     * The receipt of the copy, or its manifest file.
     *
     * @param extras what is below the tree and not in the file counts as a difference
     */
    public record ListFile(RawPath file, boolean extras) implements Expected {}

    /** Where a tree is, on this host if the host is null, and as the user wrote it, for messages. */
    public record Side(@Nullable String host, int port, RawPath path, String shown) implements Expected {
        public Side {
            path.requireShort();
        }

        /** A tree on this host. */
        public static Side here(Path path) {
            RawPath raw = RawPath.of(path);
            return new Side(null, 0, raw, raw.display());
        }

        /** A tree on a server, in its exported directories. */
        public static Side at(String host, int port, String path) {
            RawPath raw = RawPath.ofText(path);
            return new Side(host, port, raw, host + ":" + port + raw.display());
        }
    }
}
