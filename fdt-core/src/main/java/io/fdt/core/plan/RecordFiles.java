package io.fdt.core.plan;

import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.FileHash;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files about a copy that its client writes.
 *
 * @param receipt null for none
 * @param manifest written when everything is in place, with paths below the target; null for none
 * @param hashes of the receipt that need the bytes of a file in order, so that files are read again after the copy
 */
public record RecordFiles(
        @Nullable RawPath receipt, @Nullable ManifestFile manifest, List<FileHash> hashes) {
    public static final RecordFiles NONE = new RecordFiles(null, null, List.of());

    public RecordFiles {
        hashes = List.copyOf(hashes);
    }

    /** The hashes for which files are read again after the copy. */
    public List<FileHash> readAgain() {
        List<FileHash> all = new ArrayList<>(receipt == null ? List.of() : hashes);
        if (manifest != null && !Checksums.KINDS.contains(manifest.kind()) && !all.contains(manifest.kind())) {
            all.add(manifest.kind());
        }
        return all;
    }
}
