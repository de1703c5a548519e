package io.fdt.core.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Creates and describes the small trees of these tests, with one entry of each kind that a receiver treats differently.
 */
final class SmallTree {
    static final int CHUNK_BYTES = 128 * 1024;
    private static final Instant THEN = Instant.parse("2020-02-02T02:02:02.020202020Z");

    private SmallTree() {}

    /** @param more attributes, and the first name of the file if it has more than one */
    record Thing(String kind, String mode, String time, String content, String more) {
        /** Returns the same entry as a separate file. */
        Thing withoutLink() {
            return new Thing(kind, mode, time, content, more.replaceFirst("^is \\S+ ", ""));
        }

        /** Returns the same entry as a file that was flushed. */
        Thing withoutMark() {
            return new Thing(
                    kind, mode, time, content, more.replaceFirst("fdt\\.unflushed, |(, )?fdt\\.unflushed", ""));
        }
    }

    static void makeSource(Path source) throws IOException {
        Files.createDirectories(source.resolve("dir/deep"));
        file(source.resolve("small"), 5, 1, "rw-r-----");
        Files.getFileAttributeView(source.resolve("small"), UserDefinedFileAttributeView.class)
                .write("origin", ByteBuffer.wrap(new byte[] {1, 2, 3}));
        file(source.resolve("empty"), 0, 2, "rw-------");
        file(source.resolve("large"), 3 * CHUNK_BYTES + 77, 3, "rwxr-xr-x");
        file(source.resolve("replaced"), 2 * CHUNK_BYTES, 4, "rw-r--r--");
        file(source.resolve("same"), 9, 5, "rw-r--r--");
        file(source.resolve("othermode"), 9, 15, "rw-rw-r--");
        file(source.resolve("dir/first"), 1000, 6, "rw-r--r--");
        Files.createLink(source.resolve("dir/second"), source.resolve("dir/first"));
        file(source.resolve("dir/deep/three"), 33, 7, "r--r--r--");
        holes(source.resolve("holes"));
        Files.createSymbolicLink(source.resolve("link"), Path.of("small"));
        Files.createSymbolicLink(source.resolve("newlink"), Path.of("dir"));
        Files.createDirectory(source.resolve("newdir"));
        for (String directory : new String[] {"newdir", "dir/deep", "dir", ""}) {
            finish(source.resolve(directory), 8 + directory.length(), "rwxr-x---");
        }
    }

    /** Creates what exists at the target before the copy. */
    static void makeTarget(Path target) throws IOException {
        Files.createDirectories(target.resolve("dir"));
        file(target.resolve("replaced"), 100, 20, "rw-r--r--");
        file(target.resolve("same"), 9, 5, "rw-r--r--");
        file(target.resolve("othermode"), 9, 15, "rw-r--r--");
        file(target.resolve("dir/second"), 1000, 21, "rw-r--r--");
        file(target.resolve("extra"), 10, 22, "rw-r--r--");
        Files.createDirectories(target.resolve("extradir"));
        file(target.resolve("extradir/in"), 10, 23, "rw-r--r--");
        Files.createSymbolicLink(target.resolve("newlink"), Path.of("elsewhere"));
        Files.createSymbolicLink(target.resolve("newdir"), Path.of("nowhere"));
        finish(target.resolve("extradir"), 24, "rwxr-xr-x");
    }

    static void file(Path path, int bytes, int seed, String mode) throws IOException {
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) ('a' + seed));
        for (int at = 0; at < bytes; at += 1000) {
            content[at] = (byte) (at / 1000);
        }
        Files.write(path, content);
        finish(path, seed, mode);
    }

    private static void holes(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1}), 0);
            channel.write(ByteBuffer.wrap(new byte[] {2}), 5L * CHUNK_BYTES);
        }
        finish(path, 30, "rw-r--r--");
    }

    private static void finish(Path path, int seed, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
        Files.setLastModifiedTime(path, FileTime.from(THEN.plusSeconds(seed)));
    }

    static void delete(Path tree) throws IOException {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(path);
            }
        }
    }

    /** Returns everything below a directory, by path. */
    static Map<String, Thing> describe(Path tree) {
        Map<String, Thing> things = new TreeMap<>();
        Map<Object, String> names = new HashMap<>();
        if (!Files.exists(tree)) {
            return things;
        }
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.sorted().toList()) {
                String name = tree.relativize(path).toString();
                things.put(name.isEmpty() ? "." : name, describe(path, names));
            }
            return things;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Thing describe(Path path, Map<Object, String> names) throws IOException {
        Map<String, Object> attributes =
                Files.readAttributes(path, "unix:mode,size,lastModifiedTime,ino,nlink,uid", LinkOption.NOFOLLOW_LINKS);
        String mode = Integer.toOctalString((int) attributes.get("mode")) + " " + attributes.get("uid");
        String time = attributes.get("lastModifiedTime").toString();
        if (Files.isSymbolicLink(path)) {
            return new Thing("link", "", time, Files.readSymbolicLink(path).toString(), "");
        }
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return new Thing("directory", mode, time, "", "");
        }
        byte[] content = Files.readAllBytes(path);
        String first =
                names.putIfAbsent(attributes.get("ino"), path.getFileName().toString());
        UserDefinedFileAttributeView view = Files.getFileAttributeView(path, UserDefinedFileAttributeView.class);
        return new Thing(
                "file",
                mode,
                time,
                content.length + " " + Arrays.hashCode(content),
                (first == null ? "" : "is " + first + " ") + view.list());
    }
}
