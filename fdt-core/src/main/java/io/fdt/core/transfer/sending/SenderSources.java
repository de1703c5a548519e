package io.fdt.core.transfer.sending;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.Zeros;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.source.PipeSource;
import io.fdt.core.storage.source.SourceProblems;
import io.fdt.core.storage.source.SourceTree;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.storage.source.ZeroSource;
import java.util.List;
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
        } catch (TransferException collision) {
            sources.close();
            throw collision;
        }
        return sources;
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
