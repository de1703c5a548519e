package io.fdt.core.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.receipt.ManifestWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ManifestReaderTest {
    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("SUMS");
    }

    private ReceiptEntries read(String text) throws IOException {
        Files.write(file(), text.getBytes(StandardCharsets.ISO_8859_1));
        return ManifestReader.read(RawPath.of(file()), FileHash.CRC32C);
    }

    @Test
    void readsBackEveryNameThatItsWriterWrites() throws IOException {
        List<byte[]> names = List.of(
                new byte[] {'a', '\n', '\\', 'n'},
                new byte[] {'b', (byte) 0xff, '\r'},
                "c/ two  spaces *".getBytes(StandardCharsets.US_ASCII),
                new byte[] {'\\'});
        try (ManifestWriter writer = new ManifestWriter(RawPath.of(file()))) {
            for (byte[] name : names) {
                writer.add(new byte[] {1, 2, 3, (byte) name.length}, RawPath.ofBytes(name));
            }
            assertThat(file()).as("before it is whole").doesNotExist();
            writer.publish();
        }

        ReceiptEntries entries = ManifestReader.read(RawPath.of(file()), FileHash.CRC32C);

        assertThat(entries.count()).isEqualTo(names.size());
        for (byte[] name : names) {
            int index = entries.find(RawPath.ofBytes(name));
            assertThat(index).as("%s", RawPath.ofBytes(name)).isNotNegative();
            assertThat(entries.entry(index).digest()).containsExactly(1, 2, 3, name.length);
        }
    }

    @Test
    void readsWhatOtherProgramsWrite() throws IOException {
        ReceiptEntries entries = read("0000002a *binary\n0000002B  ./d/e\n0000002c  no newline at its end");

        assertThat(List.of(entries.path(0), entries.path(1), entries.path(2)))
                .containsExactly(
                        RawPath.ofText("binary"), RawPath.ofText("d/e"), RawPath.ofText("no newline at its end"));
        assertThat(entries.entry(1).digest()).containsExactly(0, 0, 0, 0x2b);
    }

    @Test
    void namesTheLineThatIsWrong() {
        assertRefused("", "lists no file");
        assertRefused("0000002a  a\n\n", "line 2 of");
        assertRefused("0000002a a\n", "line 1 of");
        assertRefused("0000002a00  a\n", "two spaces and a path");
        assertRefused("0000002x  a\n", "does not begin with a crc32c hash");
        assertRefused("0000002a  ../a\n", "not below the target");
        assertRefused("0000002a  /a\n", "not below the target");
        assertRefused("0000002a  a\0b\n", "NUL");
        assertRefused("\\0000002a  a\\x\n", "unknown escape");
        assertRefused("\\0000002a  a\\", "unknown escape");
        assertRefused("0000002a  " + "a".repeat(10_000), "too long");
        assertThatThrownBy(() -> ManifestReader.read(RawPath.of(directory.resolve("none")), FileHash.MD5))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("no such file");
    }

    private void assertRefused(String text, String message) {
        assertThatThrownBy(() -> read(text)).as(text).isInstanceOfSatisfying(TransferException.class, e -> {
            assertThat(e.kind()).isEqualTo(FailureKind.USAGE);
            assertThat(e).hasMessageContaining(message).hasMessageContaining("SUMS");
        });
    }
}
