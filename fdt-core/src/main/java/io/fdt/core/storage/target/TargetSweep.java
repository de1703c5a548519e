package io.fdt.core.storage.target;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.source.ListedTree;
import io.fdt.core.storage.source.SourceProblems;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a target has and the source of a {@link TargetMirror} does not, below the directories to which the sources
 * map, children before parents. Follows no links: a link itself is found, not its target. A directory in which
 * something stays, stays. For one thread.
 */
public final class TargetSweep implements AutoCloseable {
    private final TargetMirror mirror;
    private final Target target;
    private final boolean deletes;
    private final Listener listener;
    private final Iterator<RawPath> tops;
    /** From the current directory up to the top. */
    private final ArrayDeque<Level> levels = new ArrayDeque<>();

    private RawPath top = RawPath.EMPTY;
    private @Nullable Root root;
    private @Nullable ListedTree walk;

    /** Is notified of everything that the source does not have. */
    public interface Listener {
        /** @param failure why it was not deleted; null if it was, or would be */
        void onExtra(RawPath path, boolean directory, @Nullable TransferException failure);
    }

    private static final class Level {
        final RawPath path;
        /** Whether the source does not have it. */
        final boolean extra;
        /** Whether it stays with all its contents. */
        final boolean spared;
        /** Whether something in it stays. */
        boolean kept;
        /** Whether something in it was deleted. */
        boolean changed;

        Level(RawPath path, boolean extra, boolean spared) {
            this.path = path;
            this.extra = extra;
            this.spared = spared;
        }
    }

    TargetSweep(TargetMirror mirror, Target target, boolean deletes, Listener listener) {
        this.mirror = mirror;
        this.target = target;
        this.deletes = deletes;
        this.listener = listener;
        this.tops = mirror.tops().iterator();
    }

    /** Handles the next path; returns false if there is none. Throws if the session is ending. */
    public boolean step() {
        mirror.budget().requireOpen();
        ListedTree walking = walk;
        if (walking == null) {
            if (!tops.hasNext()) {
                return false;
            }
            begin(tops.next());
            return true;
        }
        FileEntry entry = walking.next();
        if (entry == null) {
            leaveUpTo(null);
            close();
        } else {
            leaveUpTo(entry.path());
            visit(entry.path(), entry.kind() == FileEntry.Kind.DIRECTORY);
        }
        return true;
    }

    private void begin(RawPath next) {
        top = next;
        try {
            Root opened = target.directoryAt(next);
            root = opened;
            walk = opened == null ? null : new ListedTree(opened, RawPath.EMPTY, ListedTree.Depth.ALL, new Problems());
        } catch (TransferException failure) {
            close();
            listener.onExtra(next, true, failure);
        }
    }

    private void visit(RawPath path, boolean directory) {
        Level above = levels.peek();
        if (above == null) {
            levels.push(new Level(path, false, false));
            return;
        }
        RawPath placed = top.resolve(path);
        boolean known = mirror.knows(placed);
        // A directory also stays if the source has its path, but does not offer it as a directory.
        boolean spared = above.spared
                || mirror.spares(placed, directory)
                || (known && directory && !mirror.hasDirectory(placed));
        boolean extra = !known && !spared;
        if (directory) {
            levels.push(new Level(path, extra, spared));
        } else if (extra && delete(path, false)) {
            above.changed = true;
        } else {
            above.kept = true;
        }
    }

    /** Leaves all directories that do not contain the path; null leaves all. */
    private void leaveUpTo(@Nullable RawPath path) {
        for (Level level = levels.peek();
                level != null && (path == null || !TreeOrder.covers(level.path, path));
                level = levels.peek()) {
            levels.remove();
            Level above = levels.peek();
            boolean gone = level.extra && !level.kept && delete(level.path, true);
            if (above != null) {
                above.kept |= !gone;
                above.changed |= gone;
            }
            if (level.changed && !gone) {
                target.onChanged(top.resolve(level.path));
            }
        }
    }

    /** Returns whether it was deleted, or would be. */
    private boolean delete(RawPath path, boolean directory) {
        Root swept = root;
        int done = !deletes ? 0 : swept == null ? -Errno.ENOENT : swept.unlink(path, directory);
        if (directory && (done == -Errno.ENOTEMPTY || done == -Errno.EEXIST)) {
            // Something was created in it meanwhile.
            return false;
        }
        RawPath placed = top.resolve(path);
        TransferException failure = done < 0 && done != -Errno.ENOENT
                ? Errno.failure(FailureKind.TARGET, "delete what the source does not have", placed, -done)
                : null;
        listener.onExtra(placed, directory, failure);
        return failure == null;
    }

    /** What the walk cannot read stays, and so do the directories above it. */
    private final class Problems implements SourceProblems {
        @Override
        public void onFailed(RawPath path, TransferException reason) {
            onSkipped(path, "");
            listener.onExtra(top.resolve(path), true, OtherSide.asTarget(reason));
        }

        @Override
        public void onSkipped(RawPath path, String reason) {
            for (Level level : levels) {
                level.kept |= TreeOrder.covers(level.path, path);
            }
        }
    }

    @Override
    public void close() {
        if (walk != null) {
            walk.close();
            walk = null;
        }
        if (root != null) {
            root.close();
            root = null;
        }
    }
}
