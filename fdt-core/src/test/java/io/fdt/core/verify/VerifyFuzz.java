package io.fdt.core.verify;

import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.fuzz.FuzzTarget;
import io.fdt.core.fuzz.Mutator;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Receipts and manifest files, which may come from any source. */
public final class VerifyFuzz {
    private VerifyFuzz() {}

    /** @param place a directory for these targets only */
    public static List<FuzzTarget> targets(Path place) {
        return List.of(new Receipts(place), new Manifests(place));
    }

    private static final class Receipts implements FuzzTarget {
        private static final String HEAD = "{\"type\":\"fdt-receipt\",\"version\":1,\"session\":\"s\",\"files\":[";
        private static final String TAIL = "],\"outcome\":\"ok\",\"digest\":null}";
        private static final String FILE =
                "{\"path\":\"d/\\udcff\",\"kind\":\"file\",\"outcome\":\"copied\",\"size\":7,\"mode\":420,"
                        + "\"mtime_seconds\":-3,\"mtime_nanos\":5,\"digest\":\"crc32c:0000002a\"}";
        private static final List<String> WORDS = List.of(
                FILE,
                ",",
                "{",
                "}",
                "[",
                "]",
                "[[[[[[[[[[[[[[[[",
                "null",
                "true",
                "-1",
                "1e999",
                "9223372036854775807",
                "9223372036854775808",
                "99999999999999999999999999999999999999",
                "0.5",
                "\"\\ud800\"",
                "\"\\u0000\"",
                "\"../x\"",
                "\"/x\"",
                "\"\"",
                "\"path\":",
                "\"size\":",
                "\"mode\":",
                "\"link\":",
                "\"digest\":",
                "\"kind\":\"link\"",
                "\"kind\":\"stream\"",
                "\"outcome\":\"failed\"",
                "\"version\":2",
                "crc32c:",
                "xxh3-128:",
                "\uFEFF");

        private final Path file;

        Receipts(Path place) {
            file = place.resolve("receipt");
        }

        @Override
        public String name() {
            return "receipt";
        }

        @Override
        public List<byte[]> corpus() {
            String directory = "{\"path\":\"\",\"kind\":\"directory\",\"outcome\":\"copied\",\"size\":0,\"mode\":493,"
                    + "\"mtime_seconds\":1,\"mtime_nanos\":2}";
            String link =
                    "{\"path\":\"l\",\"kind\":\"link\",\"outcome\":\"copied\",\"size\":0,\"link\":\"to/\\udc80\",\"later\":[{}]}";
            String failed = "{\"path\":\"gone\",\"kind\":\"file\",\"outcome\":\"failed\",\"size\":1,\"reason\":\"x\"}";
            return List.of(
                            HEAD + TAIL,
                            HEAD + FILE + TAIL,
                            HEAD + String.join(",", directory, link, failed, FILE) + TAIL)
                    .stream()
                    .map(text -> text.getBytes(StandardCharsets.UTF_8))
                    .toList();
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.of(FailureKind.USAGE);
        }

        /** Entries are packed into pages of a mebibyte; the file is read through a buffer. */
        @Override
        public MemoryBound bound() {
            return new MemoryBound(3 << 20, 512);
        }

        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            return Mutator.text(sample, other, WORDS, random);
        }

        @Override
        public String run(byte[] input) throws IOException {
            Files.write(file, input);
            ReceiptReader.Receipt receipt = ReceiptReader.read(RawPath.ofText(file.toString()), null);
            ReceiptEntries entries = receipt.entries();
            for (int i = 0; i < entries.count(); i++) {
                if (!entries.path(i).isPlainRelative()
                        || (i > 0 && TreeOrder.compare(entries.path(i - 1), entries.path(i)) >= 0)) {
                    throw new AssertionError("entries are plain, in order, and each is there once");
                }
                entries.entry(i);
            }
            return "receipt " + Math.min(entries.count(), 9) + " " + receipt.hash();
        }

        @Override
        public void close() throws IOException {
            Files.deleteIfExists(file);
        }
    }

    private static final class Manifests implements FuzzTarget {
        private static final List<String> WORDS = List.of(
                "0000002a", "  ", " *", "\\", "\\n", "\\r", "\n", "\r", "./", "../", "/", "\u0000", "a", "\u00ff");

        private final Path file;

        Manifests(Path place) {
            file = place.resolve("manifest");
        }

        @Override
        public String name() {
            return "manifest";
        }

        @Override
        public List<byte[]> corpus() {
            return Stream.of("0000002a  a\n", "\\0000002A *d/b\\n\\\\c\n0000002b  ./e")
                    .map(text -> text.getBytes(StandardCharsets.UTF_8))
                    .toList();
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.of(FailureKind.USAGE);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(3 << 20, 512);
        }

        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            return Mutator.text(sample, other, WORDS, random);
        }

        @Override
        public String run(byte[] input) throws IOException {
            Files.write(file, input);
            ReceiptEntries entries = ManifestReader.read(RawPath.ofText(file.toString()), FileHash.CRC32C);
            for (int i = 0; i < entries.count(); i++) {
                if (!entries.path(i).isPlainRelative() || entries.path(i).isEmpty()) {
                    throw new AssertionError("entries are plain and have a name");
                }
            }
            return "manifest " + Math.min(entries.count(), 9);
        }

        @Override
        public void close() throws IOException {
            Files.deleteIfExists(file);
        }
    }
}
