package io.fdt.core.transfer.sending;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.Zeros;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.source.PipeSource;
import io.fdt.core.storage.source.SourceProblems;
import io.fdt.core.storage.source.SourceRange;
import io.fdt.core.storage.source.SourceTree;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.storage.source.ZeroSource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Determines a sender's sources: endless zeros, standard input, or trees. */
public final class SenderSources {
    private static final int STREAM_MODE = 0644;

    private SenderSources() {}

    /** Receives the problems of a walk, once there is a listener. */
    public static final class Problems implements SourceProblems {
        private @Nullable Sender sender;

        public void reportTo(Sender newSender) {
            sender = newSender;
        }

        @Override
        public void onFailed(RawPath path, TransferException reason) {
            if (sender == null) {
                throw reason;
            }
            sender.onWalkProblem(path, reason);
        }

        @Override
        public void onLeftOut(RawPath path) {
            if (sender != null) {
                sender.manifest().onLeftOut(path, true);
            }
        }

        @Override
        public void onSkipped(RawPath path, String reason) {
            if (sender != null) {
                sender.warn(path.display() + ": " + reason);
                sender.manifest().onLeftOut(path, false);
            }
        }
    }

    /** The sources of a client, which may name everything that its user can read. */
    public static Sources local(TransferPlan request, Problems problems) {
        if (request.sources().equals(List.of(TransferPlan.STANDARD_STREAM))) {
            return new StreamSources(entry("stdin", FileEntry.UNKNOWN_SIZE), PipeSource.standardInput(), -1);
        }
        return sources(Root.unconfined(RawPath.EMPTY), request, problems);
    }

    /** Trees whose entries are already known: they are only opened. */
    public static Sources known(List<RawPath> trees, Problems problems) {
        Root root = Root.unconfined(RawPath.EMPTY);
        return SourceTree.owning(root, TransferPlan.from(trees), Set.of(), problems);
    }

    /** The sources that a client requests from a server, below one of its roots. */
    public static Sources sources(Root root, TransferPlan request, Problems problems) {
        if (isZeros(request)) {
            root.close();
            return zeros(request);
        }
        SourceTree sources = SourceTree.owning(root, request, request.get(CopyValue.PRESERVE), problems);
        try {
            sources.refuseCollisions();
            Range range = request.find(CopyValue.RANGE);
            return range == null ? sources : new RangeOfFile(sources, range);
        } catch (TransferException impossible) {
            sources.close();
            throw impossible;
        }
    }

    public static boolean isZeros(TransferPlan request) {
        return request.sources().equals(List.of(TransferPlan.DEV_ZERO));
    }

    /** {@code /dev/zero}, of a size or for a time. */
    public static Sources zeros(TransferPlan request) {
        Zeros zeros = request.get(CopyValue.ZEROS);
        if (!zeros.hasEnd()) {
            throw Cause.USAGE.failure("/dev/zero is endless; add --size or --duration");
        }
        long size = zeros.nanos() >= 0 ? FileEntry.UNKNOWN_SIZE : zeros.bytes();
        return new StreamSources(entry("zero", size), new ZeroSource(size), zeros.nanos());
    }

    /** Streams have no times, and receivers set none. */
    private static FileEntry entry(String name, long sizeBytes) {
        return new FileEntry(
                RawPath.ofText(name), FileEntry.Kind.STREAM, sizeBytes, EntryMetadata.ofMode(STREAM_MODE), false, null);
    }

    /** A part of the only file of a tree. A receiver takes it for a stream, which it never finds in place already. */
    private static final class RangeOfFile implements Sources {
        private final Sources tree;
        private final Range range;
        private @Nullable FileEntry file;

        /** @throws TransferException USAGE, unless there is one file */
        RangeOfFile(Sources tree, Range range) {
            if (!tree.isSingleFile()) {
                throw notOneFile();
            }
            this.tree = tree;
            this.range = range;
        }

        private static TransferException notOneFile() {
            return Cause.USAGE.failure("a range is one of a file; name a single file as the source");
        }

        @Override
        public @Nullable FileEntry next() {
            FileEntry next = tree.next();
            if (next == null) {
                return null;
            }
            if (next.kind() != FileEntry.Kind.FILE) {
                throw notOneFile();
            }
            file = next;
            return new FileEntry(
                    next.path(), FileEntry.Kind.STREAM, lengthIn(next), EntryMetadata.ofMode(next.mode()), false, null);
        }

        private long lengthIn(FileEntry whole) {
            return Math.max(0, Math.min(range.lengthBytes(), whole.sizeBytes() - range.offset()));
        }

        @Override
        public @Nullable RawPath pathBelowRoot(FileEntry entry) {
            return tree.pathBelowRoot(whole());
        }

        @Override
        public SourceFile open(FileEntry entry) {
            return new SourceRange(tree.open(whole()), new Range(range.offset(), lengthIn(whole())));
        }

        private FileEntry whole() {
            return Objects.requireNonNull(file);
        }

        @Override
        public boolean isSingleFile() {
            return true;
        }

        @Override
        public void close() {
            tree.close();
        }
    }

    private static final class StreamSources implements Sources {
        private final SourceFile source;
        private final long zeroDurationNanos;
        private @Nullable FileEntry entry;

        StreamSources(FileEntry entry, SourceFile source, long zeroDurationNanos) {
            this.entry = entry;
            this.source = source;
            this.zeroDurationNanos = zeroDurationNanos;
        }

        @Override
        public @Nullable FileEntry next() {
            FileEntry next = entry;
            entry = null;
            return next;
        }

        @Override
        public SourceFile open(FileEntry ignored) {
            return source;
        }

        @Override
        public boolean isSingleFile() {
            return true;
        }

        @Override
        public long zeroDurationNanos() {
            return zeroDurationNanos;
        }

        @Override
        public void close() {
            source.close();
        }
    }
}
