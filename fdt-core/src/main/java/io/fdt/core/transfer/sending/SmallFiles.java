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

/**
 * What a lane has claimed and not begun, in order: small files, which it reads together and sends one after the other,
 * and one chunk after them. For the lane's thread only.
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

    /** @param enabled false if each file is opened alone */
    SmallFiles(Sender sender, ChunkQueue queue, int key, int trailerBytes, boolean enabled) {
        this.sender = sender;
        this.queue = queue;
        this.key = key;
        this.trailerBytes = trailerBytes;
        this.enabled = enabled;
    }

    /** Whether all claimed chunks have begun. */
    boolean isEmpty() {
        return ahead.isEmpty();
    }

    Chunk remove() {
        return ahead.remove();
    }

    /**
     * Claims small files that fit into the block, or one other chunk, and collects those that can be read together.
     * Returns true if there is no room for the first.
     *
     * @param maxBytes of the chunk; 0 claims nothing
     */
    boolean gather(Block block, int maxBytes) {
        small.clear();
        files.clear();
        int position = block.buffer().position();
        if (enabled && maxBytes > 0 && ahead.isEmpty()) {
            claim(block.buffer().limit() - position, maxBytes);
        }
        Iterator<Chunk> known = ahead.iterator();
        while (enabled && known.hasNext()) {
            Chunk next = known.next();
            SenderFile file = sender.file(next.fileId());
            if (file == null || !suits(file, next)) {
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

    private void claim(int roomBytes, int maxBytes) {
        Chunk first = queue.claim(key, maxBytes, null);
        if (first != null) {
            ahead.add(first);
            queue.claimSmall(key, roomBytes - first.lengthBytes() - frameBytes(), frameBytes(), ahead);
        }
    }

    private int frameBytes() {
        return ChunkHeader.LENGTH_BYTES + trailerBytes;
    }

    /** Reads the collected files into the block; returns how many, in order. */
    int read() {
        return files.isEmpty() ? 0 : sender.read(small);
    }

    int count() {
        return files.size();
    }

    SenderFile file(int index) {
        return files.get(index);
    }
}
