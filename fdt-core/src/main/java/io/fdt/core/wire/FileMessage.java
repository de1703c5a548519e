package io.fdt.core.wire;

import io.fdt.core.failure.Failure;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileOperation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a session of file operations, of which several run at once. The client numbers them from 1; each ends
 * with one {@link Ended}.
 */
public sealed interface FileMessage extends ControlMessage {
    /**
     * Client to server: opens the session.
     *
     * @param first spares a round trip; null for none
     */
    record OpenFiles(long timeoutMs, @Nullable Operate first) implements FileMessage {}

    /**
     * Client: begins an operation.
     *
     * @param operation null if the receiver cannot accept it
     * @param refusal why not; null if it can
     */
    record Operate(
            int id,
            @Nullable FileOperation operation,
            @Nullable Failure refusal) implements FileMessage {
        public Operate {
            if (operation != null) {
                operation.requireFitting();
            }
        }

        public Operate(int id, FileOperation operation) {
            this(id, operation, null);
        }
    }

    /** Server: what the operation found or did, in the order of its paths. */
    record Found(int id, List<CheckedEntry> entries) implements FileMessage {}

    /** Server: the space on the file system of a path. */
    record SpaceFound(int id, VerifyMessage.SpaceReport space) implements FileMessage {}

    /**
     * Server: the next bytes of what is read, which follow the entry of their file.
     *
     * @param digest XXH3-128 of the bytes
     */
    record Data(int id, byte[] bytes, byte[] digest) implements FileMessage {}

    /** Client: this many messages with entries or data have been processed. */
    record More(int id, int pages) implements FileMessage {}

    /** Client: ends the operation early. */
    record Stop(int id) implements FileMessage {}

    /**
     * Server: the operation is over.
     *
     * @param failure of the operation as a whole; null if it has an answer for each path
     */
    record Ended(int id, @Nullable Failure failure) implements FileMessage {}
}
