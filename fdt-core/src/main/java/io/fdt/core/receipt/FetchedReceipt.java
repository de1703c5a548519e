package io.fdt.core.receipt;

import io.fdt.core.basic.NewFile;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.Bounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * A receipt that a server has written, and that its client stores in parts as they come, as a {@link NewFile}. For one
 * thread.
 */
public final class FetchedReceipt implements AutoCloseable {
    private final RawPath path;
    private final NewFile file;
    /** Whether there is a receipt already. */
    private final boolean replaces;
    /** How much is to come; negative before the first part. */
    private long leftBytes = -1;

    /** @throws TransferException TARGET, if it cannot be written there */
    public FetchedReceipt(RawPath path) {
        this.path = path;
        try {
            Path named = Path.of(path.text()).toAbsolutePath();
            this.replaces = Files.isRegularFile(named);
            this.file = NewFile.named(named);
        } catch (IOException | InvalidPathException e) {
            throw Receipt.unwritable(path, e);
        }
    }

    /**
     * Adds the next part, unless it does not fit the ones before: the first one says how long all of them are.
     *
     * @param followingBytes how much follows the part
     */
    public boolean add(byte[] part, long followingBytes) {
        boolean fits = leftBytes < 0
                ? followingBytes <= Bounds.MAX_RECEIPT_BYTES - part.length
                : followingBytes == leftBytes - part.length;
        if (!fits || part.length == 0) {
            return false;
        }
        leftBytes = followingBytes;
        try {
            file.stream().write(part);
            return true;
        } catch (IOException e) {
            throw Receipt.unwritable(path, e);
        }
    }

    /**
     * Gives it its name. A copy that did not come to its first file has no receipt. The receipt of a copy that was cut
     * off may list less than an earlier one, which then keeps the name.
     *
     * @param end of the copy: it is complete with everything before
     * @param warn is told that it stays
     * @return the same, or that there is no receipt, unless there is a worse failure
     */
    public Summary finish(Summary end, Consumer<String> warn) {
        TransferException failure = null;
        try {
            boolean cutOff = end.failure() != null && end.kind() != FailureKind.SOME_FILES_FAILED;
            if (leftBytes == 0 && cutOff && replaces) {
                warn.accept("the copy did not come to its end, so " + path.display()
                        + " is still the receipt of an earlier run");
            } else if (leftBytes == 0) {
                file.publish();
            } else if (end.failure() == null) {
                failure = Cause.NO_RECORD.failure("cannot write the receipt " + path.display() + ": the server sent "
                        + (leftBytes < 0 ? "none" : "only a part of it"));
            }
        } catch (IOException e) {
            failure = Receipt.unwritable(path, e);
        }
        return failure == null || end.failure() != null ? end : end.failedWith(failure.failure());
    }

    /** Removes it if it has not got its name. */
    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw Receipt.unwritable(path, e);
        }
    }
}
