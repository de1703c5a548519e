package io.fdt.core.plan;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The chunks that are claimed and not acknowledged, by file and offset: an open-addressed table that reuses its rows,
 * so claiming and acknowledging allocate nothing. Not thread-safe.
 */
final class Claims {
    /** A row. It belongs to the table and is not kept beyond the call that returned it. */
    static final class Claim {
        private long number;
        private int fileId;
        private long offset;
        private int lengthBytes;
        private int attempt;
        private int losses;
        private int damages;
        private int lane;

        /** The unique number of this claim, starting at 1. */
        long number() {
            return number;
        }

        int fileId() {
            return fileId;
        }

        int lane() {
            return lane;
        }

        int lengthBytes() {
            return lengthBytes;
        }

        int attempt() {
            return attempt;
        }

        Chunk chunk() {
            return new Chunk(fileId, offset, lengthBytes, attempt, losses, damages);
        }
    }

    private @Nullable Claim[] table = new Claim[64];
    private final ArrayDeque<Claim> spare = new ArrayDeque<>();
    private int count;
    private long lastNumber;

    int count() {
        return count;
    }

    /** Adds a claim, in place of an earlier one of the same file and offset; returns its number. */
    long put(int fileId, long offset, int lengthBytes, int attempt, int losses, int damages, int lane) {
        if (2 * (count + 1) > table.length) {
            grow();
        }
        int row = find(fileId, offset);
        Claim claim = table[row];
        if (claim == null) {
            claim = spare.isEmpty() ? new Claim() : spare.pop();
            table[row] = claim;
            count++;
        }
        claim.number = ++lastNumber;
        claim.fileId = fileId;
        claim.offset = offset;
        claim.lengthBytes = lengthBytes;
        claim.attempt = attempt;
        claim.losses = losses;
        claim.damages = damages;
        claim.lane = lane;
        return claim.number;
    }

    @Nullable Claim get(int fileId, long offset) {
        return table[find(fileId, offset)];
    }

    void remove(Claim claim) {
        removeRow(find(claim.fileId, claim.offset));
    }

    /** Removes the matching claims, after passing each to {@code last}. */
    void removeIf(Predicate<Claim> wanted, Consumer<Claim> last) {
        int row = 0;
        while (row < table.length) {
            Claim claim = table[row];
            if (claim != null && wanted.test(claim)) {
                last.accept(claim);
                // Another claim may be in this row now. If it came from beyond the end of the table, it was already
                // checked.
                removeRow(row);
            } else {
                row++;
            }
        }
    }

    boolean any(Predicate<Claim> wanted) {
        for (Claim claim : table) {
            if (claim != null && wanted.test(claim)) {
                return true;
            }
        }
        return false;
    }

    /** The row of a claim, or the free row for it. */
    private int find(int fileId, long offset) {
        int row = home(fileId, offset);
        while (true) {
            Claim claim = table[row];
            if (claim == null || (claim.offset == offset && claim.fileId == fileId)) {
                return row;
            }
            row = next(row);
        }
    }

    /** Empties a row, and moves up the claims after it that were displaced from their own rows. */
    private void removeRow(int row) {
        Claim removed = table[row];
        if (removed == null) {
            throw new IllegalStateException("no such claim");
        }
        spare.push(removed);
        count--;
        int hole = row;
        int each = next(row);
        Claim claim = table[each];
        while (claim != null) {
            int home = home(claim.fileId, claim.offset);
            boolean canStay = hole <= each ? (hole < home && home <= each) : (hole < home || home <= each);
            if (!canStay) {
                table[hole] = claim;
                hole = each;
            }
            each = next(each);
            claim = table[each];
        }
        table[hole] = null;
    }

    private int home(int fileId, long offset) {
        // Offsets are multiples of powers of two, so their bits are mixed before some of them are used.
        long mixed = (offset + fileId) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 40) & (table.length - 1);
    }

    private int next(int row) {
        return (row + 1) & (table.length - 1);
    }

    private void grow() {
        @Nullable Claim[] old = table;
        table = new Claim[2 * old.length];
        for (Claim claim : old) {
            if (claim != null) {
                table[find(claim.fileId, claim.offset)] = claim;
            }
        }
    }
}
