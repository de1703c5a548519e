package io.fdt.core.storage;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a target makes of an entry. */
public sealed interface Outcome {
    /** It is in place: a directory or a link. */
    record Made() implements Outcome {}

    /** What is there already stays. */
    record Skipped() implements Outcome {}

    /**
     * Its data is wanted. The caller owns the file and ends it by {@link TargetFile#publish} or
     * {@link TargetFile#abandon}, and {@link TargetFile#close} in any case.
     *
     * @param durable what an earlier session left behind and its journal vouches for; in order, without overlaps
     * @param dropped why something that was left behind is not used, for a message; null when nothing was
     */
    record Wanted(
            TargetFile file,
            List<ChunkRecord> durable,
            @Nullable String dropped) implements Outcome {}

    /** In a preview: its data would be wanted, in the place of another file. */
    record WouldReplace() implements Outcome {}

    /**
     * A file of the same size is there and its digest decides. The caller hashes it, and if it is another one, asks
     * {@link Target#want}.
     *
     * @param existing opens it, for whoever closes it, or throws why it cannot, as when it has changed meanwhile; any
     *     thread, while the target is open
     */
    record Compare(Supplier<SourceFile> existing) implements Outcome {}
}
