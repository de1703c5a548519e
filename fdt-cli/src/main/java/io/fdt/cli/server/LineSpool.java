package io.fdt.cli.server;

import io.fdt.core.basic.Figures;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lines that wait on disk for a receiver, in batches: a file each, with whole lines only. What a process left is
 * delivered by the next one with the same receiver. A directory belongs to one process at a time. Thread-safe.
 */
final class LineSpool implements AutoCloseable {
    static final int BATCH_BYTES = 1 << 18;

    private static final String DIRECTORY = "transfer-log-";
    private static final String LOCK = "lock";
    private static final String ENDING = ".jsonl";
    /** The most processes of one home with the same receiver. */
    private static final int MAX_PROCESSES = 64;

    private static final long NANOS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Path directory;
    private final long maxBytes;
    private final long gatherMs;
    private final FileChannel lock;
    private final ArrayDeque<Batch> batches = new ArrayDeque<>();
    private long bytes;
    private long next;
    private @Nullable FileChannel open;
    private Path openFile;
    private long openBytes;
    private long openedNanos;
    private boolean ending;

    /** A file that gets no more lines. */
    record Batch(Path file, long bytes) {}

    /**
     * Opens the spool of a receiver.
     *
     * @param home the directory of fdt
     * @param gatherMs how long a batch waits for further lines
     */
    static LineSpool open(Path home, String receiver, long maxBytes, long gatherMs) throws IOException {
        String name = DIRECTORY + UUID.nameUUIDFromBytes(receiver.getBytes(StandardCharsets.UTF_8));
        for (int i = 1; i <= MAX_PROCESSES; i++) {
            Path directory = home.resolve(i == 1 ? name : name + "-" + i);
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            FileChannel lock =
                    FileChannel.open(directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock held = lock.tryLock();
            if (held != null) {
                return new LineSpool(directory, maxBytes, gatherMs, lock);
            }
            lock.close();
        }
        throw new IOException("too many servers of this home send their transfer logs there");
    }

    private LineSpool(Path directory, long maxBytes, long gatherMs, FileChannel lock) throws IOException {
        this.directory = directory;
        this.maxBytes = maxBytes;
        this.gatherMs = gatherMs;
        this.lock = lock;
        this.openFile = directory;
        List<Path> left;
        try (Stream<Path> files = Files.list(directory)) {
            left = files.filter(file -> file.toString().endsWith(ENDING))
                    .sorted()
                    .toList();
        }
        for (Path file : left) {
            long wholeBytes = cut(file);
            if (wholeBytes == 0) {
                Files.delete(file);
            } else {
                batches.add(new Batch(file, wholeBytes));
                bytes += wholeBytes;
            }
            String name = file.getFileName().toString();
            next = 1 + Long.parseLong(name.substring(0, name.length() - ENDING.length()));
        }
    }

    /** Removes a line that a process began before it was killed. Returns the size of the others. */
    private static long cut(Path file) throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
            long end = opened.length();
            while (end > 0) {
                opened.seek(end - 1);
                if (opened.read() == '\n') {
                    break;
                }
                end--;
            }
            opened.setLength(end);
            return end;
        }
    }

    Path directory() {
        return directory;
    }

    /** Appends a line with its end, or throws and keeps nothing of it. */
    synchronized void append(byte[] line) throws IOException {
        if (bytes + line.length > maxBytes) {
            throw new IOException("the spool of " + Figures.bytes(maxBytes) + " in " + directory + " is full");
        }
        FileChannel file = open;
        if (file == null) {
            openFile = directory.resolve(Figures.text("%019d", next++) + ENDING);
            file = FileChannel.open(openFile, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            open = file;
            openBytes = 0;
            openedNanos = System.nanoTime();
        }
        try {
            ByteBuffer rest = ByteBuffer.wrap(line);
            while (rest.hasRemaining()) {
                file.write(rest);
            }
        } catch (IOException full) {
            file.truncate(openBytes);
            file.position(openBytes);
            throw full;
        }
        openBytes += line.length;
        bytes += line.length;
        if (openBytes >= BATCH_BYTES) {
            closeBatch();
        }
        notifyAll();
    }

    /** Nothing depends on the close: each line was written at once. */
    private void closeBatch() {
        try (FileChannel file = open) {
            if (file != null) {
                batches.add(new Batch(openFile, openBytes));
                open = null;
            }
        } catch (IOException unimportant) {
            return;
        }
    }

    /**
     * Waits for the oldest batch, which stays the oldest until it is removed.
     *
     * @return null at the end, if nothing is left
     */
    synchronized @Nullable Batch oldest() throws InterruptedException {
        while (!ending && batches.isEmpty()) {
            long waitMs = gatherMs - (System.nanoTime() - openedNanos) / NANOS_PER_MS;
            if (open != null && waitMs <= 0) {
                break;
            }
            wait(open == null ? 0 : waitMs);
        }
        if (batches.isEmpty()) {
            closeBatch();
        }
        return batches.peek();
    }

    /** Removes the oldest batch, also if somebody else has removed its file. */
    synchronized void remove(Batch oldest) throws IOException {
        Files.deleteIfExists(oldest.file);
        batches.remove();
        bytes -= oldest.bytes;
    }

    /** Waits for the end, at most this long. */
    synchronized void awaitEnd(long timeoutMs) throws InterruptedException {
        long until = System.nanoTime() + timeoutMs * NANOS_PER_MS;
        for (long left = timeoutMs; !ending && left > 0; left = (until - System.nanoTime()) / NANOS_PER_MS) {
            wait(left);
        }
    }

    /** There are no more lines. */
    synchronized void end() {
        ending = true;
        notifyAll();
    }

    synchronized boolean isEnding() {
        return ending;
    }

    /** What was not removed stays for the next process. */
    @Override
    public synchronized void close() throws IOException {
        closeBatch();
        lock.close();
    }
}
