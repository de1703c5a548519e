package io.fdt.core.storage;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The directories that a server exports. With one, remote paths are taken inside it; with several, a path's first
 * component is the last component of the root that it is in.
 */
public final class ExportedRoots {
    private final List<RawPath> directories;
    private final boolean readOnly;

    public ExportedRoots(List<RawPath> directories, boolean readOnly) {
        this.directories = List.copyOf(directories);
        this.readOnly = readOnly;
    }

    public boolean isReadOnly() {
        return readOnly;
    }

    /** Throws USAGE for the first directory that cannot be exported. */
    public void requirePresent() {
        for (RawPath directory : directories) {
            Root.confined(directory).close();
        }
    }

    /** A root and a path inside it. */
    public record Place(RawPath directory, RawPath path) {
        public Root openRoot() {
            return Root.confined(directory);
        }
    }

    /** Finds the place of a remote path; throws REFUSED where there is none. */
    public Place find(RawPath remote) {
        if (directories.isEmpty()) {
            throw new TransferException(
                    FailureKind.REFUSED,
                    "the server exports no directory: start it with --root DIR to reach " + remote);
        }
        if (directories.size() == 1) {
            return new Place(directories.get(0), remote);
        }
        byte[] bytes = remote.toBytes();
        int start = 0;
        while (start < bytes.length && bytes[start] == '/') {
            start++;
        }
        int end = start;
        while (end < bytes.length && bytes[end] != '/') {
            end++;
        }
        RawPath name = RawPath.ofBytes(Arrays.copyOfRange(bytes, start, end));
        RawPath rest = RawPath.ofBytes(Arrays.copyOfRange(bytes, end, bytes.length));
        RawPath directory = named(name);
        if (directory == null) {
            throw new TransferException(
                    FailureKind.REFUSED,
                    "no exported root is called " + name + ": it is the first part of a path here");
        }
        return new Place(directory, rest);
    }

    private @Nullable RawPath named(RawPath name) {
        for (RawPath directory : directories) {
            if (directory.name().equals(name)) {
                return directory;
            }
        }
        return null;
    }
}
