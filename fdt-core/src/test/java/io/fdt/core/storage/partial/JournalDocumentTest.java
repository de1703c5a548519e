package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** docs/formats.md describes every byte of a journal. */
final class JournalDocumentTest extends StorageTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\| (\\d+) \\| ([^|]+) \\|$");
    private static final PartialNames NAMES = PartialNames.of(RawPath.ofText("f"));
    private static final long INODE = 4711;
    private static final int UUID_BYTES = 16;
    private static final NodeHash HASH =
            Checksums.of(List.of(FileHash.ADLER32, FileHash.CRC32)).beside(DigestKind.XXH3_128);

    private final FileEntry source = fileEntry("f", 3 * CHUNK_BYTES);
    private final ChunkRecord chunk = new ChunkRecord(CHUNK_BYTES, CHUNK_BYTES, new byte[] {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24
    });
    private final FileStatus rest = new FileStatus();

    private List<Field> header = List.of();
    private List<Field> stamp = List.of();
    private List<Field> record = List.of();
    private ByteBuffer journal = ByteBuffer.allocate(0);

    private record Field(int at, int lengthBytes, String text) {}

    @BeforeEach
    void readTheDocumentAndWriteAJournal() throws IOException {
        String document = Files.readString(Path.of("..", "docs", "formats.md"));
        header = fields(document, "### The header");
        stamp = fields(document, "### The stamp");
        record = fields(document, "### Records");
        Path directory = directory("j");
        int fd = Paths.openat(Paths.AT_FDCWD, raw(directory), Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
        rest.changedSeconds = 77;
        rest.changedNanos = 88;
        Journal.Identity identity = new Journal.Identity(source, HASH, NAMES.nameHash(), INODE);
        try (Journal written = Journal.create(Disk.KERNEL, fd, NAMES.journal(), raw("f"), identity)) {
            written.add(List.of(chunk), true);
            WriteStamp stamped = written.stamp();
            assertThat(stamped).isNotNull();
            stamped.rest(rest);
        } finally {
            Descriptor.closeFd(fd);
        }
        journal = ByteBuffer.wrap(
                Files.readAllBytes(directory.resolve(NAMES.journal().text())));
    }

    private static List<Field> fields(String document, String title) {
        int start = document.indexOf(title);
        int end = document.indexOf("\n### ", start + 1);
        List<Field> fields = new ArrayList<>();
        for (MatchResult row :
                ROW.matcher(document.substring(start, end)).results().toList()) {
            fields.add(new Field(Integer.parseInt(row.group(1)), Integer.parseInt(row.group(2)), row.group(3)));
        }
        return fields;
    }

    private static void assertWithoutGaps(List<Field> fields, int from, int to) {
        int at = from;
        for (Field field : fields) {
            assertThat(field.at).as(field.text).isEqualTo(at);
            at += field.lengthBytes;
        }
        assertThat(at).isEqualTo(to);
    }

    private byte[] value(List<Field> fields, String text, int base) {
        Field field = fields.stream()
                .filter(each -> each.text.startsWith(text))
                .findFirst()
                .orElseThrow();
        return Arrays.copyOfRange(journal.array(), base + field.at, base + field.at + field.lengthBytes);
    }

    private long number(List<Field> fields, String text, int base) {
        ByteBuffer bytes = ByteBuffer.wrap(value(fields, text, base));
        return switch (bytes.remaining()) {
            case Long.BYTES -> bytes.getLong();
            case Short.BYTES -> bytes.getShort();
            default -> bytes.getInt();
        };
    }

    @Test
    void tablesCoverEveryByte() {
        assertWithoutGaps(header, 0, Journal.HEADER_BYTES);
        assertWithoutGaps(stamp, Journal.HEADER_BYTES, Journal.RECORDS_INDEX);
        assertWithoutGaps(record, 0, Journal.RECORD_BYTES);
        assertThat(journal.capacity()).isEqualTo(Journal.RECORDS_INDEX + Journal.RECORD_BYTES);
    }

    @Test
    void headerHasWhatTheTableSays() throws IOException {
        assertThat(header.get(0).text).contains("46 44 54 4A 52 4E 4C 0A");
        assertThat(value(header, "magic", 0)).isEqualTo(new byte[] {'F', 'D', 'T', 'J', 'R', 'N', 'L', '\n'});
        assertThat(header.get(1).text).isEqualTo("version, " + number(header, "version", 0));
        for (FileHash kind : Checksums.KINDS) {
            assertThat(header.get(2).text)
                    .containsIgnoringCase(Checksums.of(List.of(kind)).bits() + " for "
                            + kind.label().replace("32", "-32"));
        }
        assertThat(number(header, "checksums", 0)).isEqualTo(HASH.sums().bits());
        for (DigestKind kind : DigestKind.values()) {
            assertThat(header.get(3).text).contains(kind.code() + " " + kind.label());
        }
        assertThat(number(header, "digest kind", 0)).isEqualTo(DigestKind.XXH3_128.code());
        assertThat(number(header, "size of the source", 0)).isEqualTo(source.sizeBytes());
        assertThat(number(header, "modification time", 0)).isEqualTo(source.modifiedSeconds());
        assertThat(number(header, "and nanoseconds", 0)).isEqualTo(source.modifiedNanos());
        assertThat(number(header, "kind of the entry", 0))
                .isEqualTo(source.kind().code());
        assertThat(value(header, "hash of the target's name", 0)).isEqualTo(NAMES.nameHash());
        assertThat(number(header, "inode", 0)).isEqualTo(INODE);
        assertThat(value(header, "zeros", 0)).containsOnly(0);
    }

    @Test
    void stampHasWhatTheTableSays() {
        assertThat(number(stamp, "last write", 0)).as("at rest").isZero();
        assertThat(value(stamp, "boot id", 0))
                .hasSize(UUID_BYTES)
                .isEqualTo(ByteBuffer.allocate(UUID_BYTES)
                        .putLong(Disk.KERNEL.bootId().getMostSignificantBits())
                        .putLong(Disk.KERNEL.bootId().getLeastSignificantBits())
                        .array());
        assertThat(number(stamp, "change time", 0)).isEqualTo(rest.changedSeconds);
        assertThat(number(stamp, "and nanoseconds", 0)).isEqualTo(rest.changedNanos);
        assertThat(value(stamp, "zeros", 0)).containsOnly(0);
    }

    @Test
    void recordHasWhatTheTableSays() {
        int base = Journal.RECORDS_INDEX;
        assertThat(number(record, "number of the journal", base)).isEqualTo(number(header, "number of the journal", 0));
        assertThat(number(record, "offset", base)).isEqualTo(chunk.offset());
        assertThat(number(record, "length", base)).isEqualTo(chunk.lengthBytes());
        assertThat(value(record, "digest", base)).isEqualTo(Arrays.copyOf(chunk.digest(), 44));
    }
}
