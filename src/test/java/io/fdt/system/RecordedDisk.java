package io.fdt.system;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.transport.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A file system on a device that records every write and flush, and the states in which a power cut may leave it. A
 * process of its own, {@code recording-disk.py}, serves the device and has all mounts in its mount namespace. Needs
 * root, and a kernel with the file system, FUSE and loop devices. Thread-safe.
 */
final class RecordedDisk implements AutoCloseable {
    private final Process process;
    private final Writer commands;
    private final BufferedReader answers;
    private final Path errors;
    private final Path directory;

    /** What of the writes since the last flush a power cut leaves. */
    enum Loss {
        DROPPED,
        SUBSET,
        TORN,
        KEPT
    }

    private RecordedDisk(Process process, Path directory, Path errors) {
        this.process = process;
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.errors = errors;
        this.directory = directory;
    }

    /** Makes a file system and mounts it. Skips the test on a machine that cannot mount it. */
    static RecordedDisk of(Workplace at, String fileSystem) throws IOException {
        assumeTrue(
                Files.isWritable(Path.of("/dev/fuse"))
                        && Shell.run("unshare", "--mount", "true").exitCode() == 0,
                "a block device needs root and FUSE");
        assumeTrue(
                Files.readString(Path.of("/proc/filesystems")).contains("\t" + fileSystem + "\n")
                        || Shell.run("modprobe", "--quiet", fileSystem).exitCode() == 0,
                "this kernel has no " + fileSystem);
        Path script = at.path("recording-disk.py");
        try (InputStream in = RecordedDisk.class.getResourceAsStream("recording-disk.py")) {
            Files.write(script, Objects.requireNonNull(in).readAllBytes());
        }
        Path directory = at.directory("recorded");
        Path errors = at.path("recording-disk.err");
        Process process = new ProcessBuilder(
                        "unshare",
                        "--mount",
                        "--propagation",
                        "private",
                        "python3",
                        script.toString(),
                        directory.toString(),
                        fileSystem)
                .redirectError(errors.toFile())
                .start();
        RecordedDisk disk = at.closing(new RecordedDisk(process, directory, errors));
        disk.answer();
        return disk;
    }

    private String answer() {
        try {
            String line = answers.readLine();
            if (line == null) {
                throw new AssertionError(
                        "the recorded disk has ended with " + process.waitFor() + "\n" + Files.readString(errors));
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private synchronized String obey(Object... words) {
        try {
            commands.write(String.join(" ", Shell.words(words)) + "\n");
            commands.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return answer();
    }

    /** The directory of all mounts, for processes in any mount namespace. */
    Path root() {
        return Path.of("/proc/" + process.pid() + "/root" + directory);
    }

    /** The top of the file system. */
    Path top() {
        return root().resolve("disk");
    }

    /** The top of the state that was mounted last. */
    Path stateTop() {
        return root().resolve("state");
    }

    /**
     * Has the process run in the namespace of this disk, where the kernel has another boot id until the recording ends.
     */
    FdtProcess.Setup inside(FdtProcess.Setup setup) {
        return new FdtProcess.Setup(setup.name(), inside(setup.command()), setup.environment(), setup.directory());
    }

    private List<String> inside(List<String> command) {
        List<String> words = new ArrayList<>(List.of("nsenter", "--mount=/proc/" + process.pid() + "/ns/mnt", "--"));
        words.addAll(command);
        return words;
    }

    /** Returns the path in the namespace of this disk. */
    Path pathInside(Path path) {
        return path.startsWith(root()) ? directory.resolve(root().relativize(path)) : path;
    }

    /** Like {@link Trees#differences}, to a directory of this disk. rsync follows no links of /proc. */
    String differences(Path source, Path target, String... options) {
        return Shell.ok(inside(Trees.differencesCommand(source, pathInside(target), options))
                .toArray());
    }

    /** The number of writes and flushes so far. */
    int position() {
        return Integer.parseInt(obey("position"));
    }

    /** Returns a position soon after this at which many writes wait for a flush. */
    int beforeFlush(int position) {
        return Integer.parseInt(obey("before-flush", position));
    }

    /** Has every call of the device fail from now on. A file system then becomes read-only, or is shut down. */
    void fail() {
        obey("fail");
    }

    /**
     * Has the file system find an error of its own: ext4 becomes read-only, XFS is shut down. Btrfs has no such call.
     */
    void becomeReadOnly() {
        obey("read-only");
    }

    /** Ends the recording, and returns its length. */
    int unmount() {
        return Integer.parseInt(obey("unmount"));
    }

    /** Mounts what a power cut may leave, after {@link #unmount}. Returns how many of the unflushed writes it has. */
    String mountState(int position, Loss loss, long seed) {
        return obey("state", position, loss.name().toLowerCase(Locale.ROOT), seed);
    }

    void forgetState() {
        obey("forget");
    }

    @Override
    public void close() throws IOException {
        commands.close();
        if (!Await.holdsWithin(Workplace.LIMIT, () -> !process.isAlive())) {
            process.destroyForcibly();
            throw new AssertionError("the recorded disk does not end\n" + Files.readString(errors));
        }
    }
}
