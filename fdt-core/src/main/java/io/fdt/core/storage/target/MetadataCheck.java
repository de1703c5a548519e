package io.fdt.core.storage.target;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Looks at the first file and the first directory of each file system that the session gave their metadata: some file
 * systems accept the calls and do nothing. Thread-safe.
 */
final class MetadataCheck {
    /** On some file systems a file is on another device than its directory. */
    private static final int LOOKS_MAX = 1000;

    private final Looks files = new Looks();
    private final Looks newDirectories = new Looks();
    private final Looks directories = new Looks();
    private final Map<Long, Lost> lost = new LinkedHashMap<>();

    /** The file systems of which one kind of entry is looked at. Guarded by the check. */
    private static final class Looks {
        private final Set<Long> seen = new HashSet<>();
        private final Set<Long> expected = new HashSet<>();
        private int count;
        private volatile boolean due;

        private void expect(long device) {
            if (!seen.contains(device) && expected.add(device)) {
                count = 0;
                due = true;
            }
        }

        private boolean isFirst(long device) {
            count++;
            expected.remove(device);
            due = !expected.isEmpty() && count < LOOKS_MAX;
            return seen.add(device);
        }
    }

    /** What a file system has not kept of the entry in this directory, or of the directory. */
    private record Lost(RawPath directory, Set<String> kinds) {}

    /** Called when a directory of the target was opened. */
    synchronized void onOpened(long device) {
        files.expect(device);
        newDirectories.expect(device);
        directories.expect(device);
    }

    /**
     * Called when a file has its metadata.
     *
     * @param finder returns which kinds the file with this status does not have
     */
    void lookAtFile(int fd, RawPath file, Function<FileStatus, List<String>> finder) {
        look(files, fd, file.parent(), finder);
    }

    /** Likewise for a directory that has its owner and attributes, and not yet its mode and times. */
    void lookAtNewDirectory(int fd, RawPath directory, Function<FileStatus, List<String>> finder) {
        look(newDirectories, fd, directory, finder);
    }

    /** Likewise for a directory that has its mode and times. */
    void lookAtDirectory(int fd, RawPath directory, Function<FileStatus, List<String>> finder) {
        look(directories, fd, directory, finder);
    }

    private void look(Looks looks, int fd, RawPath directory, Function<FileStatus, List<String>> finder) {
        if (looks.due) {
            lookNow(looks, fd, directory, finder);
        }
    }

    private synchronized void lookNow(
            Looks looks, int fd, RawPath directory, Function<FileStatus, List<String>> finder) {
        FileStatus there = new FileStatus();
        if (FileMetadata.stat(fd, there) == 0 && looks.isFirst(there.device)) {
            List<String> kinds = finder.apply(there);
            if (!kinds.isEmpty()) {
                lost.computeIfAbsent(there.device, device -> new Lost(directory, new LinkedHashSet<>()))
                        .kinds
                        .addAll(kinds);
            }
        }
    }

    /** Reports what file systems have not kept, with the directory that shows it. */
    synchronized void report(Function<RawPath, RawPath> shown, BiConsumer<RawPath, TransferException> problems) {
        lost.values().forEach(each -> {
            String words = String.join(" and ", each.kinds);
            problems.accept(
                    each.directory,
                    Cause.TARGET
                            .at(shown.apply(each.directory).display())
                            .advise("leave out of --preserve what it does not keep, or choose another target")
                            .failure("its file system does not keep " + words + ": it accepts them and does nothing;"
                                    + " the contents of the files are in place"));
        });
    }
}
