package io.fdt.core.storage.target;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.storage.Resolver;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.posix.Paths;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Common methods for tests of a target. */
abstract class TargetTest extends StorageTest {
    final List<String> directoryProblems = new ArrayList<>();

    void finish(Target target) {
        target.finishDirectories((path, failure) -> directoryProblems.add(failure.getMessage()));
        target.syncRest();
        target.syncFileSystem();
    }

    TargetTree open(Root root, String target, boolean single) {
        return new TargetTree(root, raw(target), rules(Existing.SKIP_SAME), DigestKind.XXH3_128, CHUNK_BYTES, single);
    }

    static FileEntry with(FileEntry entry, @Nullable RawPath firstName, Attribute... attributes) {
        return new FileEntry(
                entry.path(),
                entry.kind(),
                entry.sizeBytes(),
                new EntryMetadata(
                        entry.mode(),
                        entry.modifiedSeconds(),
                        entry.modifiedNanos(),
                        entry.uid(),
                        entry.gid(),
                        List.of(attributes)),
                false,
                firstName);
    }

    /** A resolver that refuses to open one directory, except with {@code O_PATH}. */
    record RefusingResolver(Resolver real, RawPath directory, int errno) implements Resolver {
        @Override
        public int openBeneath(int dirFd, RawPath path, int flags, int mode) {
            boolean refused = path.equals(directory) && (flags & Paths.O_PATH) == 0;
            return refused ? -errno : real.openBeneath(dirFd, path, flags, mode);
        }

        @Override
        public int openWithoutLinks(int dirFd, RawPath path, int flags, int mode) {
            return real.openWithoutLinks(dirFd, path, flags, mode);
        }
    }
}
