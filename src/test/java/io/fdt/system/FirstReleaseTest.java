package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Today's fdt reads what release 1.0 wrote, as docs/packaging.md promises: the journal of an unfinished file, a
 * receipt, keys and settings; and it prints the JSON that 1.0 printed. The README of the recording tells where it is
 * from.
 */
final class FirstReleaseTest {
    private static final Path RECORDED = Recipe.readme().resolveSibling("src/test/resources/io/fdt/system/release-1.0");
    private static final FileTime TIME = FileTime.fromMillis(1_700_000_000_123L);
    private static final int LARGE_BYTES = (3 << 20) + 5;

    // Of docs/formats.md.
    private static final int INODE_AT = 56;
    private static final int CHECKSUM_AT = 124;
    private static final int RECORDS_AT = 192;
    private static final int RECORD_BYTES = 72;

    @RegisterExtension
    final Workplace at = new Workplace();

    private Path tree;

    @BeforeEach
    void makeTree() throws IOException {
        tree = at.directory("tree");
        at.directory("tree/d");
        file("large", LARGE_BYTES, "rw-r--r--");
        file("d/small", 5000, "rw-r-----");
        Path link = Files.createSymbolicLink(tree.resolve("link"), Path.of("d/small"));
        Files.getFileAttributeView(link, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(TIME, null, null);
        for (Path directory : List.of(tree.resolve("d"), tree)) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setLastModifiedTime(directory, TIME);
        }
    }

    private void file(String name, int lengthBytes, String mode) throws IOException {
        byte[] bytes = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; i++) {
            bytes[i] = (byte) ((i * 7919L) >> 5);
        }
        Path file = Files.write(tree.resolve(name), bytes);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        Files.setLastModifiedTime(file, TIME);
    }

    @Test
    void anUnfinishedFileIsResumed() throws IOException {
        Path target = at.directory("dst");
        ByteBuffer journal = ByteBuffer.wrap(Files.readAllBytes(RECORDED.resolve("journal")));
        // The partial of "large". It has the data of those chunks that the recorded journal lists, and no other.
        Path partial = target.resolve(".fdt.d35c416a85b807e9.part");
        byte[] source = Files.readAllBytes(tree.resolve("large"));
        byte[] data = new byte[source.length];
        long recorded = 0;
        for (int record = RECORDS_AT; record + RECORD_BYTES <= journal.limit(); record += RECORD_BYTES) {
            int offset = (int) journal.getLong(record + 8);
            int length = (int) journal.getLong(record + 16);
            System.arraycopy(source, offset, data, offset, length);
            recorded += length;
        }
        assertThat(recorded).isPositive().isLessThan(LARGE_BYTES);
        Files.write(partial, data);
        // Only the number of the file differs from the recording.
        journal.putLong(INODE_AT, (Long) Files.getAttribute(partial, "unix:ino"));
        CRC32C checksum = new CRC32C();
        checksum.update(journal.array(), 0, CHECKSUM_AT);
        journal.putInt(CHECKSUM_AT, (int) checksum.getValue());
        Path written = Files.write(target.resolve(".fdt.d35c416a85b807e9.journal"), journal.array());
        for (Path each : List.of(partial, written)) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rw-------"));
        }

        Outcome outcome = at.copy("--chunk-size", "128KiB", tree.resolve("large"), target + "/")
                .expectExit(0);

        assertThat(outcome.number("bytes_resumed")).isEqualTo(recorded);
        Trees.assertSameFile(tree.resolve("large"), target.resolve("large"));
    }

    @Test
    void aReceiptIsVerified() throws IOException {
        at.fdt("verify", "--receipt", RECORDED.resolve("receipt.json"), at.directory())
                .expectExit(0);

        Path small = tree.resolve("d/small");
        byte[] bytes = Files.readAllBytes(small);
        bytes[7]++;
        Files.write(small, bytes);
        Files.setLastModifiedTime(small, TIME);
        at.fdt("verify", "--receipt", RECORDED.resolve("receipt.json"), at.directory())
                .expectExit(6);
    }

    /** Keys, the identity of the server and settings; and JSON of a copy with all fields and kinds of values. */
    @Test
    void homesAreReadAndTheJsonIsThatOfThen() throws IOException {
        at.environment("FDT_HOME", home("server").toString());
        FdtServer server = at.server();
        assertThat(String.join("\n", at.fdt("key", "list").expectExit(0).out())).contains("guest", "list, read, write");
        at.environment("FDT_HOME", home("client").toString());

        // Its settings ask for the JSON.
        Outcome copied = at.fdt("copy", tree, server.url("/")).expectExit(0);

        Trees.assertSame(tree, server.root().resolve("tree"));
        for (String line : Files.readAllLines(RECORDED.resolve("copy.jsonl"))) {
            Map<String, Object> then = Json.object(line);
            if (!"progress".equals(then.get("type"))) {
                assertThat(copied.jsonOfType(String.valueOf(then.get("type"))))
                        .as(line)
                        .anySatisfy(now -> assertSameFields(then, now));
            }
        }
    }

    private static void assertSameFields(Map<String, Object> then, Map<String, Object> now) {
        then.forEach((field, value) -> {
            assertThat(now).containsKey(field);
            if (value != Json.NULL && now.get(field) != Json.NULL) {
                assertThat(now.get(field)).as(field).isInstanceOf(value.getClass());
            }
        });
    }

    private Path home(String name) {
        Path home = at.path("homes").resolve(name);
        at.directory("homes");
        Shell.ok("cp", "-r", RECORDED.resolve(name), home);
        Shell.ok("chmod", "-R", "u=rwX,go=", home);
        return home;
    }
}
