package io.fdt.core.storage;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The result of preparing an entry at a target. */
public sealed interface Outcome {
    /** The entry is in place: a directory or a link. */
    record Made() implements Outcome {}

    /** The existing file stays as it is. */
    record Skipped() implements Outcome {}

    /**
     * The data is needed. The caller owns the file and ends it by {@link TargetFile#publish} or {@link
     * TargetFile#abandon}, and by {@link TargetFile#close} in any case.
     *
     * @param durable the chunks of an earlier session that its journal shows as durable; in order, without overlaps
     * @param dropped why data of an earlier session is not used, for a message; null if none was discarded
     */
    record Wanted(
            TargetFile file,
            List<ChunkRecord> durable,
            @Nullable String dropped) implements Outcome {}

    /** In a preview: the data would be needed, and would replace another file. */
    record WouldReplace() implements Outcome {}

    /**
     * A file of the same size exists, and its digest decides. The caller hashes it, and if it differs, calls {@link
     * Target#prepareChanged}.
     *
     * @param existing opens the file, which its caller closes, or throws the reason why it cannot, for example because
     *     the file has changed meanwhile; callable on any thread while the target is open
     */
    record Compare(Supplier<SourceFile> existing) implements Outcome {}
}
