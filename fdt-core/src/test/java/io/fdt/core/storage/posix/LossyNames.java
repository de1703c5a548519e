package io.fdt.core.storage.posix;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The names in a directory of a {@link LossyDisk}: those that are durable, and the changes since. A change is kept
 * entirely or not at all, and one that builds on a lost one is lost too. Not thread-safe.
 */
final class LossyNames {
    private final Map<Path, LossyFile> durable = new HashMap<>();
    private final List<Change> changes = new ArrayList<>();

    /** A change by which a file gets a name, loses a name, or both. */
    private record Change(
            @Nullable Path from,
            @Nullable Path to,
            @Nullable LossyFile file) {
        boolean touches(Set<Path> names) {
            return (from != null && names.contains(from)) || (to != null && names.contains(to));
        }

        void addNames(Set<Path> names) {
            if (from != null) {
                names.add(from);
            }
            if (to != null) {
                names.add(to);
            }
        }

        void apply(Map<Path, LossyFile> names) {
            if (from != null) {
                names.remove(from);
            }
            if (to != null && file != null) {
                names.put(to, file);
            }
        }
    }

    /** A name that the directory had before the disk was used. */
    void had(Path name, LossyFile file) {
        durable.put(name, file);
    }

    void added(Path name, LossyFile file) {
        changes.add(new Change(null, name, file));
    }

    void renamed(Path from, Path to, LossyFile file) {
        changes.add(new Change(from, to, file));
    }

    void removed(Path name) {
        changes.add(new Change(name, null, null));
    }

    void flush() {
        changes.forEach(change -> change.apply(durable));
        changes.clear();
    }

    /** @param hide takes the name from a file, which may get another one or its old one back */
    void loseSome(Random random, Consumer<LossyFile> hide) {
        Map<Path, LossyFile> kept = new HashMap<>(durable);
        Map<Path, LossyFile> now = new HashMap<>(durable);
        Set<Path> lost = new HashSet<>();
        boolean all = random.nextInt(4) == 0;
        for (Change change : changes) {
            change.apply(now);
            if (all || change.touches(lost) || random.nextBoolean()) {
                change.addNames(lost);
            } else {
                change.apply(kept);
            }
        }
        now.values().forEach(hide);
        kept.forEach((name, file) -> file.moveTo(name));
    }
}
