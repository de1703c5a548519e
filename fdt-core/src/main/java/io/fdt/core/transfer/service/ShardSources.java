package io.fdt.core.transfer.service;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.shard.PlannedEntry;
import io.fdt.core.shard.Shard;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.storage.source.WholeFiles;
import io.fdt.core.transfer.sending.SenderSources;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a shard, in place of a walk. A source that no longer matches the shard is refused when it is opened.
 * For the session's thread, except for {@link #open} and {@link #read}.
 */
final class ShardSources implements Sources {
    private static final int OWNER_ALL = 0700;

    private final Shard shard;
    private final Sources trees;

    /** @throws io.fdt.core.failure.TransferException USAGE if it is not a shard, SOURCE if its sources do not exist */
    ShardSources(Path file, SenderSources.Problems problems) {
        this.shard = Shard.open(file);
        try {
            this.trees = SenderSources.known(shard.sources(), problems);
        } catch (RuntimeException failure) {
            shard.close();
            throw failure;
        }
    }

    /** Several shards may create entries in a directory at the same time; {@code finish} restores its mode. */
    @Override
    public @Nullable FileEntry next() {
        PlannedEntry planned = shard.next();
        if (planned == null) {
            return null;
        }
        FileEntry entry = planned.entry();
        boolean shared = entry.kind() == FileEntry.Kind.DIRECTORY && !shard.givesModes();
        return shared ? entry.with(entry.metadata().withMode(entry.mode() | OWNER_ALL)) : entry;
    }

    @Override
    public SourceFile open(FileEntry entry) {
        return trees.open(entry);
    }

    @Override
    public boolean readsWholeFiles() {
        return trees.readsWholeFiles();
    }

    @Override
    public int read(WholeFiles small) {
        return trees.read(small);
    }

    @Override
    public boolean isSingleFile() {
        return shard.isSingle();
    }

    @Override
    public void close() {
        shard.close();
        trees.close();
    }
}
