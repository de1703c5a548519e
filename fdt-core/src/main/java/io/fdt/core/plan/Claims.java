package io.fdt.core.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The claims of a {@link ChunkQueue} that are not acknowledged: by place, and chained for each file, so that what
 * concerns one file does not cost more the more files are claimed. Not thread-safe.
 */
final class Claims {
    private final Map<Place, Claim> byPlace = new HashMap<>();
    /** The first of each file's chain. */
    private final Map<Integer, Claim> byFile = new HashMap<>();

    /** A claim and its neighbours among those of its file. */
    static final class Claim {
        final Chunk chunk;
        final int lane;
        private @Nullable Claim next;
        private @Nullable Claim previous;

        Claim(Chunk chunk, int lane) {
            this.chunk = chunk;
            this.lane = lane;
        }
    }

    private record Place(int fileId, long offset) {
        // The methods that a record generates are created on first use, which takes twenty milliseconds.

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Place place && place.fileId == fileId && place.offset == offset;
        }

        /** Offsets are multiples of powers of two, so their bits are mixed. */
        @Override
        public int hashCode() {
            return Long.hashCode((offset + fileId) * 0x9E3779B97F4A7C15L);
        }
    }

    /** Replaces a claim of the same place. */
    void put(Chunk chunk, int lane) {
        remove(chunk.fileId(), chunk.offset());
        Claim added = new Claim(chunk, lane);
        byPlace.put(new Place(chunk.fileId(), chunk.offset()), added);
        Claim next = byFile.put(chunk.fileId(), added);
        added.next = next;
        if (next != null) {
            next.previous = added;
        }
    }

    @Nullable Claim get(int fileId, long offset) {
        return byPlace.get(new Place(fileId, offset));
    }

    void remove(int fileId, long offset) {
        Claim removed = byPlace.remove(new Place(fileId, offset));
        if (removed != null) {
            unchain(removed);
        }
    }

    private void unchain(Claim removed) {
        Claim next = removed.next;
        Claim previous = removed.previous;
        if (next != null) {
            next.previous = previous;
        }
        if (previous != null) {
            previous.next = next;
        } else if (next != null) {
            byFile.put(removed.chunk.fileId(), next);
        } else {
            byFile.remove(removed.chunk.fileId());
        }
    }

    /** Removes and returns the claims of a file that the predicate accepts; tests no others. */
    List<Claim> removeOfFile(int fileId, Predicate<Claim> wanted) {
        List<Claim> removed = new ArrayList<>();
        for (Claim claim = byFile.get(fileId); claim != null; claim = claim.next) {
            if (wanted.test(claim)) {
                removed.add(claim);
            }
        }
        removed.forEach(claim -> remove(fileId, claim.chunk.offset()));
        return removed;
    }

    /** Removes and returns all claims of a lane. */
    List<Claim> removeOfLane(int lane) {
        List<Claim> removed =
                byPlace.values().stream().filter(claim -> claim.lane == lane).toList();
        removed.forEach(claim -> remove(claim.chunk.fileId(), claim.chunk.offset()));
        return removed;
    }

    boolean haveLane(int lane) {
        return byPlace.values().stream().anyMatch(claim -> claim.lane == lane);
    }

    boolean isEmpty() {
        return byPlace.isEmpty();
    }
}
