package io.fdt.core.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EarlierReceiptTest {
    private static final RawPath TARGET = RawPath.ofText("/in");

    @TempDir
    Path directory;

    private EarlierReceipt read(RawPath target, DigestKind kind) throws IOException {
        Path file = directory.resolve("r.json");
        Files.writeString(
                file,
                "{\"type\":\"fdt-receipt\",\"version\":1,\"files\":[" + file("a") + "," + file("b")
                        + "],\"target\":\"/in\",\"outcome\":\"ok\",\"digest\":null}");
        return EarlierReceipt.read(RawPath.of(file), target, kind);
    }

    private static String file(String name) {
        return "{\"path\":\"" + name + "\",\"kind\":\"file\",\"outcome\":\"copied\",\"size\":7,\"mode\":420,"
                + "\"mtime_seconds\":3,\"mtime_nanos\":5,\"digest\":\"crc32c:0000002a\"}";
    }

    private static FileEntry entry(String name, long sizeBytes, int nanos) {
        return Entries.file(name, sizeBytes, Entries.metadata(0644, 3, nanos));
    }

    @Test
    void matchesFilesBySizeAndTime() throws IOException {
        EarlierReceipt earlier = read(TARGET, DigestKind.CRC32C);
        assertThat(earlier.settle(entry("a", 7, 5))).containsExactly(0, 0, 0, 42);
        assertThat(earlier.settle(entry("a", 8, 5))).isEmpty();
        assertThat(earlier.settle(entry("a", 7, 6))).isEmpty();
        assertThat(earlier.settle(entry("c", 7, 5))).isEmpty();

        List<RawPath> rest = new ArrayList<>();
        earlier.forEachUnsettled(known -> rest.add(known.path()));
        assertThat(rest).containsExactly(RawPath.ofText("b"));
    }

    @Test
    void appliesOnlyToSameTargetAndDigest() throws IOException {
        assertThat(read(RawPath.ofText("/other"), DigestKind.CRC32C).settle(entry("a", 7, 5)))
                .isEmpty();
        assertThat(read(TARGET, DigestKind.SHA256).settle(entry("a", 7, 5))).isEmpty();
        Path file = Files.writeString(directory.resolve("other.json"), "something else");
        assertThat(EarlierReceipt.read(RawPath.of(file), TARGET, DigestKind.CRC32C)
                        .settle(entry("a", 7, 5)))
                .isEmpty();
    }
}
