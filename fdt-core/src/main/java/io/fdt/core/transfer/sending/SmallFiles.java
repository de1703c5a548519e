package io.fdt.core.transfer.sending;

import io.fdt.core.plan.Chunk;
import io.fdt.core.plan.ChunkQueue;
import io.fdt.core.storage.source.WholeFiles;
import io.fdt.core.transport.Block;
import io.fdt.core.wire.ChunkHeader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a lane has claimed and not begun, in order: small files, which it reads together and sends back to back, and one
 * chunk behind them. The lane's thread only.
 */
final class SmallFiles {
    private final Sender sender;
    private final ChunkQueue queue;
    private final int key;
    private final int trailerBytes;
    private final boolean enabled;
    private final ArrayDeque<Chunk> ahead = new ArrayDeque<>();
    private final WholeFiles small = new WholeFiles();
    private final List<SenderFile> files = new ArrayList<>();

    /** @param enabled false where each file is opened alone */
    SmallFiles(Sender sender, ChunkQueue queue, int key, int trailerBytes, boolean enabled) {
        this.sender = sender;
        this.queue = queue;
        this.key = key;
        this.trailerBytes = trailerBytes;
        this.enabled = enabled;
    }

    /** Whether nothing is claimed that has not begun. */
    boolean isEmpty() {
        return ahead.isEmpty();
    }

    /** The next chunk of those that are claimed already. */
    Chunk remove() {
        return ahead.remove();
    }

    /** Takes what the block has room for, and claims one chunk more. True if it has no room for the first. */
    boolean gather(Block block, boolean mayClaim) {
        small.clear();
        files.clear();
        int position = block.buffer().position();
        Iterator<Chunk> known = ahead.iterator();
        while (enabled) {
            Chunk next = known.hasNext() ? known.next() : mayClaim ? claim() : null;
            SenderFile file = next == null ? null : sender.file(next.fileId());
            if (next == null || file == null || !suits(file, next)) {
                break;
            }
            int data = position + ChunkHeader.LENGTH_BYTES;
            int end = data + next.lengthBytes() + trailerBytes;
            if (end > block.buffer().limit() || !small.add(file.entry, block.address() + data)) {
                return files.isEmpty() && block.buffer().position() > 0;
            }
            files.add(file);
            position = end;
        }
        return false;
    }

    private boolean suits(SenderFile file, Chunk chunk) {
        return WholeFiles.suit(file.entry)
                && chunk.lengthBytes() == file.entry.sizeBytes()
                && chunk.attempt() == 0
                && !file.isComparing()
                && queue.isOutstanding(chunk);
    }

    private @Nullable Chunk claim() {
        Chunk next = queue.claim(key, null);
        if (next != null) {
            ahead.add(next);
        }
        return next;
    }

    /** Reads what was gathered to its place in the block; how many files, in order. */
    int read() {
        return files.isEmpty() ? 0 : sender.read(small);
    }

    /** How many files were gathered. */
    int count() {
        return files.size();
    }

    SenderFile file(int index) {
        return files.get(index);
    }
}
