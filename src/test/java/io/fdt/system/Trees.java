package io.fdt.system;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Creates simple trees and compares trees with tools that share no code with fdt: rsync for names, contents and
 * metadata, python3 for holes and for the files under final names after a failure.
 */
final class Trees {
    /** Lists every difference, including nanoseconds. */
    private static final String[] RSYNC = {
        "rsync",
        "-aXn",
        "--checksum",
        "--itemize-changes",
        "--delete",
        "--modify-window=-1",
        // The first rule for attributes takes the place of the one that rsync has without any.
        "--filter=-x user.fdt.unflushed",
        "--filter=-x system.*"
    };

    private static final String FINAL_NAMES = """
            import os, sys
            source, target = (os.fsencode(p) for p in sys.argv[1:3])
            def same(a, b):
                with open(a, "rb") as x, open(b, "rb") as y:
                    while True:
                        p, q = x.read(1 << 20), y.read(1 << 20)
                        if p != q: return False
                        if not p: return True
            wrong = []
            for here, folders, files in os.walk(source):
                for name in files + folders:
                    a = os.path.join(here, name)
                    b = target + a[len(source):]
                    if not os.path.lexists(b): continue
                    if os.path.islink(a):
                        if not os.path.islink(b) or os.readlink(a) != os.readlink(b): wrong.append(b)
                    elif os.path.isdir(a):
                        if os.path.islink(b) or not os.path.isdir(b): wrong.append(b)
                    elif os.path.islink(b) or not os.path.isfile(b) or not same(a, b):
                        wrong.append(b)
                    else:
                        s, t = os.stat(a), os.stat(b)
                        if s.st_mode != t.st_mode or s.st_mtime_ns != t.st_mtime_ns: wrong.append(b)
            for path in wrong: print(repr(path))
            """;

    private static final String ALLOCATION = """
            import os, sys
            source, target = (os.fsencode(p) for p in sys.argv[1:3])
            for here, folders, files in os.walk(source):
                for name in files:
                    a = os.path.join(here, name)
                    if os.path.islink(a): continue
                    b = target + a[len(source):]
                    s, t = os.stat(a), os.stat(b)
                    # A hole may move to the next edge of a block of 128 KiB at each of its ends.
                    if s.st_blocks * 512 >= s.st_size: continue
                    holes, at = 1, 0
                    with open(a, "rb") as f:
                        while at < s.st_size:
                            try: at = os.lseek(f.fileno(), at, os.SEEK_DATA)
                            except OSError: break
                            at = os.lseek(f.fileno(), at, os.SEEK_HOLE)
                            holes += 1
                    allowed = s.st_blocks * 512 + holes * 2 * 131072
                    if t.st_blocks * 512 > allowed:
                        print(repr(b), "takes", t.st_blocks * 512, "bytes of disk, its source", s.st_blocks * 512)
            """;

    private static final String MANY_FILES = """
            import os, sys
            top, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
            for i in range(count):
                folder = os.path.join(top, "d%03d" % (i // 1000))
                if i % 1000 == 0: os.makedirs(folder)
                with open(os.path.join(folder, "f%06d" % i), "wb", buffering=0) as f:
                    if size: f.write((b"%d\\n" % i * size)[:size])
            """;

    private Trees() {}

    /** Fails unless both directories are equal, including contents, modes, links, xattrs and nanoseconds. */
    static void assertSame(Path source, Path target) {
        String differences = differences(source, target);
        if (!differences.isEmpty()) {
            throw new AssertionError(
                    "rsync sees differences from " + source + " to " + target + ":\n" + head(differences));
        }
    }

    /** Returns the changes that rsync would make to the target. Empty if the contents are equal. */
    static String differences(Path source, Path target, String... options) {
        if (!Files.isDirectory(target)) {
            return "no directory " + target;
        }
        return Shell.ok(differencesCommand(source, target, options).toArray());
    }

    /** Returns the command whose output is {@link #differences}. */
    static List<String> differencesCommand(Path source, Path target, String... options) {
        List<String> command = new ArrayList<>(List.of(RSYNC));
        command.addAll(List.of(options));
        command.addAll(List.of(source + "/", target + "/"));
        return command;
    }

    /** Fails unless both files have the same content. */
    static void assertSameFile(Path source, Path target) {
        Shell.run("cmp", "--", source, target).orFail("cmp");
    }

    /** Fails if a name of the source exists in the target as anything but its complete copy. The name may be absent. */
    static void assertNothingWrongUnderFinalNames(Path source, Path target) {
        String wrong = Shell.python(FINAL_NAMES, source, target);
        if (!wrong.isEmpty()) {
            throw new AssertionError("incomplete or wrong under a final name:\n" + head(wrong));
        }
    }

    /** Fails if a sparse file takes much more disk space in the target than in the source. */
    static void assertSparseFilesStaySparse(Path source, Path target) {
        // Written data may not count as allocated until it has its place on the disk.
        Shell.ok("sync", "-f", target);
        String wrong = Shell.python(ALLOCATION, source, target);
        if (!wrong.isEmpty()) {
            throw new AssertionError("holes were filled:\n" + head(wrong));
        }
    }

    /** Returns the paths below a directory, sorted, one a line, with special characters escaped. */
    static String listing(Path directory) {
        return Shell.ok(
                "bash",
                "-c",
                "cd -- \"$1\" && find . -mindepth 1 -print0 | sort -z | xargs -0 -r printf '%q\\n'",
                "bash",
                directory);
    }

    /** Creates a file of random bytes, which depend only on the seed. */
    static Path file(Path path, long sizeBytes, long seed) {
        Random random = new Random(seed);
        byte[] piece = new byte[1 << 16];
        try {
            Files.createDirectories(path.getParent());
            try (OutputStream out = Files.newOutputStream(path)) {
                for (long left = sizeBytes; left > 0; left -= piece.length) {
                    random.nextBytes(piece);
                    out.write(piece, 0, (int) Math.min(left, piece.length));
                }
            }
            return path;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates files of one size, a thousand in each directory. */
    static Path manyFiles(Path directory, int count, int sizeBytes) {
        Shell.python(MANY_FILES, directory, count, sizeBytes);
        return directory;
    }

    /**
     * Creates a small tree: two levels, a link, an empty directory, an empty file, a file of slightly more than two
     * chunks.
     */
    static Path small(Path directory, long seed) {
        file(directory.resolve("one.dat"), 1000, seed);
        file(directory.resolve("empty.dat"), 0, seed);
        file(directory.resolve("sub/two.dat"), 200_000, seed + 1);
        file(directory.resolve("sub/deeper/three.dat"), 17_000_000, seed + 2);
        try {
            Files.createDirectories(directory.resolve("void"));
            Files.createSymbolicLink(directory.resolve("link"), Path.of("sub/two.dat"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return directory;
    }

    /** Returns the text of a file. Ignores bytes that are not UTF-8. */
    static String text(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String head(String text) {
        return text.lines().limit(60).reduce("", (all, line) -> all + line + "\n");
    }
}
