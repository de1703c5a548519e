package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The directories above an entry, kept while a sequence in tree order goes by. One thread. */
final class Ancestors {
    /** From the top down. */
    private final List<FileEntry> path = new ArrayList<>();

    /** Leaves the directories that an entry is not in. Before {@link #enter}. */
    void moveTo(RawPath entry) {
        while (!path.isEmpty() && !isAbove(path.get(path.size() - 1).path(), entry)) {
            path.remove(path.size() - 1);
        }
    }

    /** What comes next may be in this one. */
    void enter(FileEntry entry) {
        if (entry.kind() == Kind.DIRECTORY) {
            path.add(entry);
        }
    }

    List<FileEntry> copy() {
        return List.copyOf(path);
    }

    private static boolean isAbove(RawPath directory, RawPath entry) {
        int length = directory.lengthBytes();
        if (length == 0) {
            return !entry.isEmpty();
        }
        if (entry.lengthBytes() <= length || entry.byteAt(length) != '/') {
            return false;
        }
        for (int i = length - 1; i >= 0; i--) {
            if (directory.byteAt(i) != entry.byteAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Which directories one shard has already, of those that the last entry needed. */
    static final class Given {
        private final List<FileEntry> given = new ArrayList<>();

        /** Gives the shard what it has not of these directories, as such that it only needs. */
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

        /** The shard has this one as an entry of its own. */
        void enter(FileEntry entry) {
            if (entry.kind() == Kind.DIRECTORY) {
                given.add(entry);
            }
        }
    }
}
