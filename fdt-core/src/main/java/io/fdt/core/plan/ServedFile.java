package io.fdt.core.plan;

import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Failure;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of one file of a copy at its server.
 *
 * @param incoming whether the server received it
 * @param nanos since its entry was offered
 */
public record ServedFile(
        Place place, boolean incoming, long bytes, Moved moved, long nanos, Hashes hashes, Result result) {
    /**
     * How its bytes crossed the network.
     *
     * @param bytes without what an earlier copy moved; of a file that failed, what became durable
     * @param lanes that the session has used so far
     * @param transport a description; null if there was no lane
     */
    public record Moved(long bytes, int lanes, @Nullable String transport) {
        public static final Moved NOTHING = new Moved(0, 0, null);
    }

    /**
     * Where the file is.
     *
     * @param path of the file in the copy: below the target of a push, or with the last part of the source of a pull
     * @param root the exported directory; null if the file is in none
     * @param full on this host; null if it is not known
     */
    public record Place(
            RawPath path, @Nullable RawPath root, @Nullable RawPath full) {}

    /**
     * @param outcome {@code copied}, {@code resumed}, {@code skipped} or {@code failed}
     * @param note more about the outcome, such as where a moved file was
     */
    public record Result(
            String outcome, @Nullable String note, @Nullable Failure failure) {}

    /**
     * @param digest with its label; null if there is none
     * @param checksums in hexadecimal digits, if any were requested
     */
    public record Hashes(@Nullable String digest, Map<FileHash, String> checksums) {}
}
