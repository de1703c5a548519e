package io.fdt.core.storage.target;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Looks at the first file of each file system that the session gave its metadata: some file systems accept the calls
 * and do nothing. Thread-safe.
 */
final class MetadataCheck {
    /** On some file systems a file is on another device than its directory. */
    private static final int LOOKS_MAX = 1000;

    private final Set<Long> seen = new HashSet<>();
    private final Set<Long> expected = new HashSet<>();
    private final Map<RawPath, List<String>> lost = new LinkedHashMap<>();
    private int looks;
    private volatile boolean due;

    /** Called when a directory of the target was opened. */
    synchronized void onOpened(long device) {
        if (!seen.contains(device) && expected.add(device)) {
            looks = 0;
            due = true;
        }
    }

    /**
     * Called when a file has its metadata.
     *
     * @param finder returns which kinds the file with this status does not have
     */
    void look(int fd, FileEntry entry, Function<FileStatus, List<String>> finder) {
        if (due) {
            lookNow(fd, entry.path().parent(), finder);
        }
    }

    private synchronized void lookNow(int fd, RawPath directory, Function<FileStatus, List<String>> finder) {
        FileStatus there = new FileStatus();
        if (FileMetadata.stat(fd, there) < 0) {
            return;
        }
        looks++;
        expected.remove(there.device);
        due = !expected.isEmpty() && looks < LOOKS_MAX;
        if (seen.add(there.device)) {
            List<String> kinds = finder.apply(there);
            if (!kinds.isEmpty()) {
                lost.put(directory, kinds);
            }
        }
    }

    /** Reports what file systems have not kept, with the directory of the file that shows it. */
    synchronized void report(Function<RawPath, RawPath> shown, BiConsumer<RawPath, TransferException> problems) {
        lost.forEach((directory, kinds) -> {
            String words = String.join(" and ", kinds);
            problems.accept(
                    directory,
                    Cause.TARGET
                            .at(shown.apply(directory).display())
                            .advise("leave out of --preserve what it does not keep, or choose another target")
                            .failure("its file system does not keep " + words + ": it accepts them and does nothing;"
                                    + " the contents of the files are in place"));
        });
    }
}
