package io.fdt.core.storage.target;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.ListedTree;
import io.fdt.core.storage.source.SourceProblems;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a target has and the source of a {@link TargetMirror} has not, below the directories that the sources map
 * to, children before parents. Follows no link: of a link, the link itself is found. A directory that the target
 * reaches through a link is not entered, and under its own path nothing in it is deleted: what was copied through the
 * link is there. A directory with something in it that stays, stays. One thread.
 */
public final class TargetSweep implements AutoCloseable {
    private final TargetMirror mirror;
    private final Target target;
    private final boolean deletes;
    private final Listener listener;
    private final Iterator<RawPath> tops;
    /** From the directory that is being looked at up to the top. */
    private final ArrayDeque<Level> levels = new ArrayDeque<>();

    private RawPath top = RawPath.EMPTY;
    private @Nullable Root root;
    private @Nullable ListedTree walk;

    /** Is told of everything that the source has not. */
    public interface Listener {
        /** @param failure why it is still there and was to be deleted; null when it is gone, or would be */
        void onExtra(RawPath path, boolean directory, @Nullable TransferException failure);
    }

    private static final class Level {
        final RawPath path;
        /** The source does not have it. */
        final boolean extra;
        /** It stays with all that is in it. */
        final boolean spared;
        /** Something in it stays. */
        boolean kept;
        /** Something in it was deleted. */
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

    /** Looks at the next thing; false when there is none. */
    public boolean step() {
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
            levels.push(new Level(path, false, isReachedThroughLink(path)));
            return;
        }
        RawPath placed = top.resolve(path);
        boolean known = mirror.knows(placed);
        // What the source has as something else than a directory that it offers is none of the mirror's business.
        boolean spared = above.spared
                || mirror.spares(placed, directory)
                || (known && directory && !mirror.hasDirectory(placed))
                || (directory && isReachedThroughLink(path));
        boolean extra = !known && !spared;
        if (directory) {
            levels.push(new Level(path, extra, spared));
        } else if (extra && delete(path, false)) {
            above.changed = true;
        } else {
            above.kept = true;
        }
    }

    /** What was put into it under another path may be all that the source has of it. */
    private boolean isReachedThroughLink(RawPath path) {
        Root swept = root;
        return swept != null && target.isReachedThroughLink(swept, path);
    }

    /** Leaves all directories that the path is not in; null leaves all. */
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

    /** Whether it is gone, or would be. */
    private boolean delete(RawPath path, boolean directory) {
        int done = deletes ? unlink(path, directory) : 0;
        if (directory && (done == -Errno.ENOTEMPTY || done == -Errno.EEXIST)) {
            // Somebody has put something into it meanwhile.
            return false;
        }
        RawPath placed = top.resolve(path);
        TransferException failure = done < 0 && done != -Errno.ENOENT
                ? Errno.failure(FailureKind.TARGET, "delete what the source does not have", placed, -done)
                : null;
        listener.onExtra(placed, directory, failure);
        return failure == null;
    }

    private int unlink(RawPath path, boolean directory) {
        Root swept = root;
        int parentFd =
                swept == null ? -Errno.ENOENT : swept.openWithoutLinks(path.parent(), Paths.O_PATH | Paths.O_DIRECTORY);
        int done = parentFd < 0 ? parentFd : Paths.unlinkat(parentFd, path.name(), directory ? Paths.AT_REMOVEDIR : 0);
        Descriptor.closeFd(parentFd);
        return done;
    }

    /** What the walk cannot see stays, and so do the directories above it. */
    private final class Problems implements SourceProblems {
        @Override
        public void onFailed(RawPath path, TransferException reason) {
            onSkipped(path, "");
            listener.onExtra(
                    top.resolve(path), true, FailureKind.TARGET.failure(String.valueOf(reason.getMessage()), reason));
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
