package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The directories above the current entry of a sequence in tree order. For one thread. */
final class Ancestors {
    /** From the top down. */
    private final List<FileEntry> path = new ArrayList<>();

    /** Leaves the directories that do not contain the entry. Before {@link #enter}. */
    void moveTo(RawPath entry) {
        while (!path.isEmpty() && !isAbove(path.get(path.size() - 1).path(), entry)) {
            path.remove(path.size() - 1);
        }
    }

    /** The next entries may be in this directory. */
    void enter(FileEntry entry) {
        if (entry.kind() == Kind.DIRECTORY) {
            path.add(entry);
        }
    }

    List<FileEntry> copy() {
        return List.copyOf(path);
    }

    private static boolean isAbove(RawPath directory, RawPath entry) {
        RawPath below = entry.relativeTo(directory);
        return below != null && !below.isEmpty();
    }

    /** Of the directories above the last entry, those that a shard already contains. */
    static final class Given {
        private final List<FileEntry> given = new ArrayList<>();

        /** Adds the missing ones of these directories to the shard, as implied entries. */
        void addMissing(Consumer<PlannedEntry> shard, List<FileEntry> above) {
            int same = 0;
            while (same < given.size()
                    && same < above.size()
                    && given.get(same).path().equals(above.get(same).path())) {
                same++;
            }
            given.subList(same, given.size()).clear();
            for (FileEntry directory : above.subList(same, above.size())) {
                shard.accept(new PlannedEntry(directory, true));
                given.add(directory);
            }
        }

        void addMissing(Consumer<PlannedEntry> shard, Ancestors above) {
            addMissing(shard, above.path);
        }

        /** The shard contains this directory as an entry of its own. */
        void enter(FileEntry entry) {
            if (entry.kind() == Kind.DIRECTORY) {
                given.add(entry);
            }
        }
    }
}
