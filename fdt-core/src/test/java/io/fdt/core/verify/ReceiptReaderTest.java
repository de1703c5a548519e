package io.fdt.core.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReceiptReaderTest {
    private static final String HEAD = "{\"type\":\"fdt-receipt\",\"version\":1,\"session\":\"s\",\"files\":[";
    private static final String TAIL = "],\"outcome\":\"ok\",\"digest\":null}";

    @TempDir
    Path directory;

    @Test
    void readsWhatACopyWrote() throws IOException {
        ReceiptReader.Receipt receipt = read(HEAD
                + file("d/\\udcff", 7)
                + ",{\"path\":\"\",\"kind\":\"directory\",\"outcome\":\"copied\",\"size\":0,\"mtime_seconds\":1,\"mtime_nanos\":2}"
                + ",{\"path\":\"l\",\"kind\":\"link\",\"outcome\":\"copied\",\"size\":0,\"link\":\"to/\\udc80\",\"later\":[{}]}"
                + ",{\"path\":\"gone\",\"kind\":\"file\",\"outcome\":\"failed\",\"size\":1,\"reason\":\"x\"}"
                + ",{\"path\":\"same\",\"kind\":\"file\",\"outcome\":\"skipped\",\"size\":9}"
                + ",{\"path\":\"stdin\",\"kind\":\"stream\",\"outcome\":\"copied\",\"size\":3,\"mode\":420,"
                + "\"mtime_seconds\":1,\"mtime_nanos\":1,\"digest\":\"crc32c:00000001\"}" + TAIL);

        assertThat(receipt.hash()).isEqualTo(DigestKind.CRC32C);
        assertThat(receipt.failed()).isEqualTo(1);
        assertThat(receipt.target()).isNull();
        assertThat(receipt.successful()).isTrue();
        ReceiptEntries entries = receipt.entries();
        assertThat(IntStream.range(0, entries.count()).mapToObj(entries::path))
                .containsExactly(
                        RawPath.EMPTY,
                        RawPath.ofText("d/\uDCFF"),
                        RawPath.ofText("l"),
                        RawPath.ofText("same"),
                        RawPath.ofText("stdin"));
        FileEntry file = entry(entries, 1);
        assertThat(file.sizeBytes()).isEqualTo(7);
        assertThat(file.mode()).isEqualTo(0644);
        assertThat(file.modifiedSeconds()).isEqualTo(-3);
        assertThat(file.modifiedNanos()).isEqualTo(5);
        assertThat(entries.entry(1).digest()).containsExactly(0, 0, 0, 42);
        assertThat(entry(entries, 0).metadata()).isEqualTo(EntryMetadata.UNKNOWN);
        assertThat(entry(entries, 2).linkTarget()).isEqualTo(RawPath.ofText("to/\uDC80"));
        assertThat(entries.entry(3).digest()).isEmpty();
        assertThat(entry(entries, 4).kind()).isEqualTo(FileEntry.Kind.FILE);
        assertThat(entry(entries, 4).metadata()).isEqualTo(EntryMetadata.UNKNOWN);
    }

    private static FileEntry entry(ReceiptEntries entries, int index) {
        return Objects.requireNonNull(entries.entry(index).entry());
    }

    @Test
    void sortsManyEntriesAndKeepsTheLaterOfTwo() throws IOException {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        List<String> files = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            files.add(file(Integer.toString(random.nextInt(12_000), 3).replace('2', '/') + "x", i));
        }
        files.removeIf(text -> text.contains("//") || text.contains("\"/"));
        files.add(file("twice", 1));
        files.add(file("twice", 2));

        ReceiptEntries entries = read(HEAD + String.join(",", files) + TAIL).entries();

        assertThat(IntStream.range(0, entries.count()).mapToObj(entries::path))
                .as("seed %s", seed)
                .isSortedAccordingTo(TreeOrder::compare)
                .doesNotHaveDuplicates();
        FileEntry last = entry(entries, entries.count() - 1);
        assertThat(last.path()).isEqualTo(RawPath.ofText("twice"));
        assertThat(last.sizeBytes()).isEqualTo(2);
    }

    @Test
    void refusesWhatIsNoReceipt() {
        assertRefused("", "is damaged");
        assertRefused("[]", "is damaged");
        assertRefused("not json", "is damaged");
        assertRefused("{}", "not a receipt of fdt client");
        assertRefused("{\"type\":\"fdt-receipt\",\"version\":2,\"files\":7}", "is of version 2");
        assertThatThrownBy(() -> ReceiptReader.read(raw(directory.resolve("none")), null))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("no such file");
    }

    @Test
    void refusesAReceiptThatWasCutOrChanged() {
        String whole = HEAD + file("a", 1) + TAIL;
        for (int length = 1; length < whole.length(); length += 7) {
            assertRefused(whole.substring(0, length), "is damaged");
        }
        assertRefused(whole + "x", "is damaged");
        assertRefused(whole.replace("0000002a", "00002a"), "wrong length");
        assertRefused(whole.replace("0000002a", "00000zzz"), "not a hexadecimal number");
        assertRefused(whole.replace("crc32c", "crc33"), "unknown");
        assertRefused(whole.replace("\"file\"", "\"door\""), "missing kind");
        assertRefused(whole.replace("\"mtime_nanos\":5,", ""), "missing mtime_nanos");
        assertRefused(whole.replace("\"a\"", "\"../a\""), "leads out");
        assertRefused(whole.replace("\"a\"", "\"/a\""), "leads out");
        assertRefused(whole.replace("\"size\":1", "\"size\":-1"), "missing size");
        assertRefused(whole.replace("\"digest\":null", "\"digest\":\"crc32c:00000000\""), "do not match its digest");
    }

    @Test
    void refusesAReceiptOfFilesWithoutDigests() {
        String skipped = "{\"path\":\"a\",\"kind\":\"file\",\"outcome\":\"skipped\",\"size\":1}";
        assertRefused(HEAD + skipped + TAIL, "contains no digests");
    }

    private void assertRefused(String text, String message) {
        assertThatThrownBy(() -> read(text)).as(text).isInstanceOfSatisfying(TransferException.class, e -> {
            assertThat(e.kind()).isEqualTo(FailureKind.USAGE);
            assertThat(e).hasMessageContaining(message).hasMessageContaining("receipt.json");
            assertThat(e.getMessage().lines()).hasSize(1);
        });
    }

    private ReceiptReader.Receipt read(String text) throws IOException {
        Path file = directory.resolve("receipt.json");
        Files.writeString(file, text);
        return ReceiptReader.read(raw(file), null);
    }

    private static RawPath raw(Path path) {
        return RawPath.ofText(path.toString());
    }

    private static String file(String path, int sizeBytes) {
        return "{\"path\":\"" + path + "\",\"kind\":\"file\",\"outcome\":\"copied\",\"size\":" + sizeBytes
                + ",\"mode\":420,\"mtime_seconds\":-3,\"mtime_nanos\":5,\"digest\":\"crc32c:0000002a\"}";
    }
}
