package io.fdt.core.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Divides what is not claimed among lanes so that they work in different places: a kernel lets one writer at a time
 * into a file of its page cache, and one at a time make a name in a directory. Work comes in batches: one large file,
 * or the small files of a directory. A lane stays in its batch, which it takes in shares. Then it takes a batch in
 * which no lane works, then a share of the batch with the most work, and finally half of what another lane has not
 * begun. So lanes share a file only if there are fewer files than lanes, and no chunk waits for a slow lane. Guarded by
 * the queue's lock.
 */
final class WorkShares {
    /** What a lane takes at a time: enough to read and write in sequence. */
    static final long SHARE_BYTES = 32 << 20;

    private final int chunkBytes;
    private final int leafBytes;
    /** More lanes in one file of a page cache wait for each other. */
    private static final int LANES_OF_A_FILE = 4;

    /** Batches in which no lane works, in the order in which they were added. */
    private final ArrayDeque<Batch> untouched = new ArrayDeque<>();
    /** Batches in which lanes work. */
    private final List<Batch> begun = new ArrayList<>();

    private final Map<Integer, Share> shares = new HashMap<>();
    /** Takes further small files of its directory. */
    private @Nullable Batch newest;

    private long costBytes;
    private long smallBytes;
    /** The batches that are a large file each. */
    private int largeFiles;

    private int streams;

    /** Files that lanes work through together. */
    private static final class Batch {
        final int directory;
        final ArrayDeque<Span> spans = new ArrayDeque<>();
        /** All its lanes read the one stream, in order. */
        @Nullable QueuedFile stream;

        int lanes;
        long costBytes;
        /** One large file, of which something is not taken. */
        boolean large;

        Batch(int directory) {
            this.directory = directory;
        }

        boolean isEmpty() {
            return spans.isEmpty() && stream == null;
        }
    }

    /** What a lane has taken for itself and not claimed. */
    private static final class Share {
        final ArrayDeque<Span> spans = new ArrayDeque<>();

        @Nullable Batch batch;

        long costBytes;
    }

    WorkShares(int chunkBytes, int leafBytes) {
        this.chunkBytes = chunkBytes;
        this.leafBytes = leafBytes;
    }

    /** Adds the missing ranges of a file in the directory with this number, in order. */
    void add(QueuedFile file, int directory, List<Range> missing) {
        boolean small = isSmall(file);
        Batch batch = newest;
        if (batch == null || !small || batch.directory != directory || batch.isEmpty()) {
            batch = new Batch(directory);
            untouched.add(batch);
            newest = small ? batch : null;
            batch.large = !small;
            largeFiles += small ? 0 : 1;
        }
        for (Range range : missing) {
            append(batch, new Span(file, range.offset(), range.end()));
        }
    }

    private void append(Batch batch, Span span) {
        batch.spans.add(span);
        batch.costBytes += span.costBytes();
        costBytes += span.costBytes();
        smallBytes += isSmall(span.file) ? span.lengthBytes() : 0;
    }

    private boolean isSmall(QueuedFile file) {
        return file.sizeBytes <= chunkBytes;
    }

    void addStream(QueuedFile file) {
        Batch batch = new Batch(-1);
        batch.stream = file;
        streams++;
        untouched.add(batch);
    }

    /** How many lanes find work that lasts a while. */
    int usefulLanes() {
        return streams > 0
                ? Integer.MAX_VALUE
                : (int) Math.min(Integer.MAX_VALUE, (costBytes + chunkBytes - 1) / chunkBytes);
    }

    /** How many lanes find work in different places: a few in each large file, and one for each chunk of small ones. */
    int places() {
        return streams > 0
                ? Integer.MAX_VALUE
                : (int) Math.min(Integer.MAX_VALUE, (long) largeFiles * LANES_OF_A_FILE + smallBytes / chunkBytes);
    }

    /** How many lanes have claimed something or tried to. */
    int lanes() {
        return shares.size();
    }

    /** Takes the next chunk for a lane, of at most this length if it is of a file; null if there is none. */
    @Nullable Chunk take(int lane, int maxBytes) {
        Share share = shares.computeIfAbsent(lane, key -> new Share());
        do {
            Chunk chunk = takeOf(share, maxBytes);
            if (chunk != null) {
                return chunk;
            }
        } while (refill(share));
        return null;
    }

    /** Whether the lane's own share goes on with a whole file of at most this many bytes. */
    boolean continuesSmall(int lane, long maxBytes) {
        Share share = shares.get(lane);
        Span next = share == null ? null : firstNeeded(share);
        return next != null && next.isWholeFile() && next.file.sizeBytes <= maxBytes;
    }

    private @Nullable Chunk takeOf(Share share, int maxBytes) {
        Span span = firstNeeded(share);
        if (span != null) {
            long before = span.costBytes();
            Chunk chunk = span.take(Math.min(chunkBytes, maxBytes), leafBytes);
            smallBytes -= isSmall(span.file) ? chunk.lengthBytes() : 0;
            spend(share, before - (span.isEmpty() ? 0 : span.costBytes()));
            if (span.isEmpty()) {
                share.spans.removeFirst();
            }
            return chunk;
        }
        Batch batch = share.batch;
        QueuedFile stream = batch == null ? null : batch.stream;
        if (batch != null && stream != null && (stream.givenUp || !stream.isStream())) {
            batch.stream = null;
            stream = null;
            streams--;
        }
        return stream == null ? null : stream.nextOfStream();
    }

    private void spend(Share share, long bytes) {
        share.costBytes -= bytes;
        costBytes -= bytes;
    }

    private @Nullable Span firstNeeded(Share share) {
        for (Span span = share.spans.peek(); span != null; span = share.spans.peek()) {
            if (!span.file.givenUp) {
                return span;
            }
            spend(share, span.costBytes());
            smallBytes -= isSmall(span.file) ? span.lengthBytes() : 0;
            share.spans.removeFirst();
        }
        return null;
    }

    private boolean refill(Share share) {
        Batch batch = share.batch;
        if (batch == null || batch.isEmpty()) {
            leave(share);
            batch = nextBatch();
            if (batch == null) {
                return splitLargest(share);
            }
            share.batch = batch;
            batch.lanes++;
        }
        moveShare(batch, share);
        return true;
    }

    private void leave(Share share) {
        Batch batch = share.batch;
        share.batch = null;
        if (batch != null && --batch.lanes == 0) {
            begun.remove(batch);
            if (!batch.isEmpty()) {
                untouched.addFirst(batch);
            }
        }
    }

    private @Nullable Batch nextBatch() {
        for (Batch batch = untouched.poll(); batch != null; batch = untouched.poll()) {
            if (!batch.isEmpty()) {
                begun.add(batch);
                return batch;
            }
        }
        Batch most = null;
        for (Batch batch : begun) {
            if (!batch.isEmpty() && (most == null || batch.costBytes / batch.lanes > most.costBytes / most.lanes)) {
                most = batch;
            }
        }
        return most;
    }

    private void moveShare(Batch batch, Share share) {
        while (share.costBytes < SHARE_BYTES && !batch.spans.isEmpty()) {
            Span span = batch.spans.removeFirst();
            batch.costBytes -= span.costBytes();
            if (span.file.givenUp) {
                costBytes -= span.costBytes();
                smallBytes -= isSmall(span.file) ? span.lengthBytes() : 0;
                continue;
            }
            Span rest = span.cutAfter(SHARE_BYTES - share.costBytes, chunkBytes);
            if (rest != null) {
                batch.spans.addFirst(rest);
                batch.costBytes += rest.costBytes();
                costBytes += Span.FILE_COST_BYTES;
            }
            share.spans.add(span);
            share.costBytes += span.costBytes();
        }
        if (batch.large && batch.isEmpty()) {
            batch.large = false;
            largeFiles--;
        }
    }

    /** Moves the later half of the largest share here; false if nobody has anything. */
    private boolean splitLargest(Share share) {
        Share largest = null;
        for (Share other : shares.values()) {
            if (other != share
                    && firstNeeded(other) != null
                    && (largest == null || other.costBytes > largest.costBytes)) {
                largest = other;
            }
        }
        if (largest == null) {
            return false;
        }
        long half = largest.costBytes / 2;
        while (share.costBytes < half && largest.spans.size() > 1) {
            move(largest.spans.removeLast(), largest, share);
        }
        if (share.spans.isEmpty()) {
            Span only = largest.spans.getFirst();
            Span rest = only.cutAfter((only.costBytes() - Span.FILE_COST_BYTES) / 2, chunkBytes);
            if (rest == null) {
                move(largest.spans.removeLast(), largest, share);
            } else {
                largest.costBytes -= rest.costBytes() - Span.FILE_COST_BYTES;
                share.spans.add(rest);
                share.costBytes += rest.costBytes();
                costBytes += Span.FILE_COST_BYTES;
            }
        }
        return true;
    }

    private static void move(Span span, Share from, Share to) {
        to.spans.addFirst(span);
        to.costBytes += span.costBytes();
        from.costBytes -= span.costBytes();
    }

    /** A lane claims no more: its share is there for the others. */
    void remove(int lane) {
        Share share = shares.remove(lane);
        if (share == null) {
            return;
        }
        leave(share);
        if (!share.spans.isEmpty()) {
            Batch batch = new Batch(-1);
            batch.spans.addAll(share.spans);
            batch.costBytes = share.costBytes;
            untouched.addFirst(batch);
        }
    }
}
