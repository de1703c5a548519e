package io.fdt.core.plan;

import io.fdt.core.basic.Right;
import io.fdt.core.digest.HashKind;
import io.fdt.core.failure.Cause;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One operation on the paths of one side. Immutable. A path that is too long is refused where the operation is made.
 *
 * @param paths for {@link Action#MOVE} the present name and the new one; for {@link Action#SPACE} none means every
 *     exported directory
 * @param deep to list or remove everything below a directory, too; to make missing parents, too
 * @param hash of contents, for {@link Action#SUM}
 * @param pieces what to read, for {@link Action#READ}, in the order of their paths; none means whole files
 */
public record FileOperation(Action action, List<RawPath> paths, boolean deep, HashKind hash, List<Piece> pieces) {
    /** How many pieces one operation reads. */
    public static final int MAX_PIECES = 4_096;

    private static final int MAX_PATHS = 1_024;
    /** Half of what one message holds. */
    private static final long MAX_PATHS_BYTES = 512 << 10;

    /** Codes are on the wire: the order never changes. */
    public enum Action {
        STAT("look at", null),
        LIST("list", null),
        SUM("sum", "summed"),
        MAKE_DIRECTORY("make directory", "made"),
        MOVE("move", "moved"),
        REMOVE("remove", "removed"),
        SPACE("report the space at", null),
        READ("read", "read");

        private final String word;
        private final @Nullable String outcome;

        Action(String word, @Nullable String outcome) {
            this.word = word;
            this.outcome = outcome;
        }

        /** A verb for display. */
        public String word() {
            return word;
        }

        /** The outcome of each path in a server's transfer log; null for what is not logged. */
        public @Nullable String outcome() {
            return outcome;
        }

        /** What a key must permit. */
        public List<Right> rights() {
            return switch (this) {
                case STAT, LIST, SPACE -> List.of(Right.LIST);
                case SUM, READ -> List.of(Right.READ);
                case MAKE_DIRECTORY -> List.of(Right.APPEND);
                case MOVE -> List.of(Right.WRITE, Right.DELETE);
                case REMOVE -> List.of(Right.DELETE);
            };
        }

        /** Whether every answer has one of the paths, and none has another one. */
        public boolean isAnsweredByPath() {
            return this == STAT || this == SUM || this == MAKE_DIRECTORY || this == MOVE || this == READ;
        }

        /** Whether it needs an export that is not read-only. */
        public boolean changes() {
            return this == MAKE_DIRECTORY || this == MOVE || this == REMOVE;
        }

        public boolean takes(int paths) {
            return switch (this) {
                case STAT, SUM, MAKE_DIRECTORY, REMOVE, READ -> paths > 0;
                case LIST -> paths == 1;
                case MOVE -> paths == 2;
                case SPACE -> true;
            };
        }
    }

    /**
     * A range of a file. What is behind the end of the file is not read.
     *
     * @param path its number among the paths
     */
    public record Piece(int path, long offset, long lengthBytes) {
        public Piece {
            if (path < 0 || offset < 0 || lengthBytes < 0 || offset + lengthBytes < 0) {
                throw Cause.USAGE.failure("no range of a file: " + lengthBytes + " bytes at offset " + offset);
            }
        }

        /** How many bytes of it a file of this size has. */
        public long lengthIn(long fileBytes) {
            return Math.max(0, Math.min(lengthBytes, fileBytes - offset));
        }
    }

    public FileOperation {
        pieces = List.copyOf(pieces);
        requireInOrder(action, paths.size(), pieces);
        paths = List.copyOf(paths);
        paths.forEach(RawPath::requireShort);
        if (!action.takes(paths.size())) {
            throw Cause.USAGE.failure("one operation cannot " + action.word() + " " + paths.size()
                    + (paths.size() == 1 ? " path" : " paths"));
        }
    }

    /** An operation that reads nothing, or whole files. */
    public FileOperation(Action action, List<RawPath> paths, boolean deep, HashKind hash) {
        this(action, paths, deep, hash, List.of());
    }

    private static void requireInOrder(Action action, int paths, List<Piece> pieces) {
        int last = 0;
        for (Piece piece : pieces) {
            if (action != Action.READ || piece.path() < last || piece.path() >= paths) {
                throw Cause.USAGE.failure("the ranges of one operation are those of its paths, in their order");
            }
            last = piece.path();
        }
    }

    /** What to read of the path with this number. */
    public List<Piece> piecesOf(int path) {
        return pieces.isEmpty()
                ? List.of(new Piece(path, 0, Long.MAX_VALUE))
                : pieces.stream().filter(piece -> piece.path() == path).toList();
    }

    /** Throws USAGE if it has more paths than a message may have. */
    public void requireFitting() {
        if (pieces.size() > MAX_PIECES) {
            throw Cause.USAGE.failure("more than " + MAX_PIECES + " ranges in one call; split them");
        }
        if (paths.size() > MAX_PATHS
                || paths.stream().mapToLong(RawPath::lengthBytes).sum() > MAX_PATHS_BYTES) {
            throw Cause.USAGE.failure("more than " + MAX_PATHS
                    + " paths, or too long ones, in one call; split them, for example by xargs -n 100");
        }
    }
}
