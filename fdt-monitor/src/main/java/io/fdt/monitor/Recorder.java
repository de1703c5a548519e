package io.fdt.monitor;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Appends every sample to a file, which may contain samples of an earlier process. Each sample is one write, and can be
 * read from then on. A file whose last gzip member was not finished, because its process was killed, is repaired by the
 * next process that records to it. A file that nobody has changed since a process ended it is continued without being
 * read. A full disk ends the recording and nothing else. For the sampler's thread after construction.
 */
final class Recorder implements SampleListener {
    /** A reader can start at every member, so that it need not read weeks to show a minute. */
    static final int SAMPLES_PER_MEMBER = 300;

    /** An attribute with the size and time of a file that was valid and flushed when its process ended. */
    private static final String ENDED = "fdt.recorded";

    private static final int WINDOW_BYTES = 16 << 10;
    private static final long MAX_MEMBER_BYTES = 64 << 20;
    private static final long MAX_UNFINISHED_BYTES = MAX_MEMBER_BYTES + RecordingReader.MAX_LINE_BYTES;

    private final Path file;
    private final Consumer<String> warnings;
    private final Supplier<byte[]> facts;
    private final FileChannel channel;
    private @Nullable GZIPOutputStream member;
    /** The lines of the member, not compressed. */
    private long memberBytes;

    private int samples;
    private boolean over;

    /**
     * @param facts called once, on the sampler's thread
     * @throws TransferException TARGET if the file cannot be written, USAGE if it is not a recording that can be
     *     continued
     */
    Recorder(Path file, Supplier<byte[]> facts, Consumer<String> warnings) {
        this.file = file;
        this.facts = facts;
        this.warnings = warnings;
        FileChannel opened = null;
        try {
            opened = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            goToEnd(opened);
        } catch (IOException e) {
            close(opened);
            throw Cause.NO_RECORD.failure("cannot record to " + file + ": " + TransferException.reason(e), e);
        } catch (TransferException refused) {
            close(opened);
            throw refused;
        }
        this.channel = opened;
    }

    private static void close(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException alreadyBroken) {
            // The caller has already reported the failure.
        }
    }

    private void goToEnd(FileChannel opened) throws IOException {
        boolean alone;
        try {
            alone = opened.tryLock() != null;
        } catch (OverlappingFileLockException here) {
            alone = false;
        }
        if (!alone) {
            throw Cause.USAGE.failure("another process records to " + file + " already");
        }
        if (opened.size() == 0) {
            return;
        }
        if (isAsItEnded(opened)) {
            opened.position(opened.size());
            return;
        }
        // Uses this channel, because closing another one of the same file would release the lock.
        RecordingReader earlier = new RecordingReader(opened, file);
        List<byte[]> unfinished = new ArrayList<>();
        long from = 0;
        long bytes = 0;
        for (byte[] line = earlier.next(); line != null; line = earlier.next()) {
            if (earlier.memberBytes() != from) {
                from = earlier.memberBytes();
                unfinished.clear();
                bytes = 0;
            }
            bytes += line.length;
            if (bytes <= MAX_UNFINISHED_BYTES) {
                unfinished.add(line);
            }
        }
        long whole = earlier.wholeBytes();
        opened.position(whole);
        if (whole < opened.size()) {
            if (!earlier.isTorn() || bytes > MAX_UNFINISHED_BYTES) {
                throw Cause.USAGE.failure("the recording " + file + " is damaged at byte " + whole
                        + "; record to another file to keep the data after that byte");
            }
            long torn = from;
            // A line of the bytes after a power cut need not be one of ours.
            unfinished.removeIf(line -> torn < whole || RecordedLine.parse(line) == null);
            finish(opened, unfinished);
        }
    }

    private boolean isAsItEnded(FileChannel opened) {
        try {
            UserDefinedFileAttributeView attributes = attributes();
            ByteBuffer ended = ByteBuffer.allocate(attributes.size(ENDED));
            attributes.read(ENDED, ended);
            return Arrays.equals(ended.array(), sizeAndTime(opened));
        } catch (IOException | RuntimeException unknown) {
            return false;
        }
    }

    /**
     * Any later change gives the file a time that is not in the past. Where this is impossible, the next process reads
     * the file.
     */
    private void markEnd() throws IOException {
        if (!Files.isRegularFile(file)) {
            return;
        }
        channel.force(false);
        try {
            long seconds = Files.getLastModifiedTime(file).to(TimeUnit.SECONDS);
            Files.setLastModifiedTime(file, FileTime.from(seconds - 1, TimeUnit.SECONDS));
            attributes().write(ENDED, ByteBuffer.wrap(sizeAndTime(channel)));
        } catch (IOException | RuntimeException unsupported) {
            return;
        }
    }

    private UserDefinedFileAttributeView attributes() {
        return Objects.requireNonNull(Files.getFileAttributeView(file, UserDefinedFileAttributeView.class));
    }

    private byte[] sizeAndTime(FileChannel opened) throws IOException {
        String both = opened.size() + " " + Files.getLastModifiedTime(file).to(TimeUnit.NANOSECONDS);
        return both.getBytes(StandardCharsets.US_ASCII);
    }

    /** Writes the lines of a member that was not finished as a member that is. */
    private void finish(FileChannel opened, List<byte[]> lines) throws IOException {
        if (!lines.isEmpty()) {
            try (GZIPOutputStream finished = member(opened)) {
                for (byte[] line : lines) {
                    add(finished, line);
                }
            }
        }
        opened.truncate(opened.position());
        warnings.accept("the recording " + file + " was not finished; the " + lines.size()
                + " last lines that can be read were kept");
    }

    @Override
    public void onSample(Sample sample, List<Figure> figures) {
        if (over) {
            return;
        }
        try {
            if (samples % SAMPLES_PER_MEMBER == 0 || memberBytes > MAX_MEMBER_BYTES) {
                endMember();
            }
            GZIPOutputStream open = member == null ? member(channel) : member;
            member = open;
            if (samples == 0) {
                String text = RecordedLine.facts(new String(facts.get(), StandardCharsets.UTF_8));
                add(open, text.getBytes(StandardCharsets.UTF_8));
            }
            samples++;
            add(open, SampleJson.of(sample));
            open.flush();
        } catch (IOException full) {
            over = true;
            close(channel);
            warnings.accept("the recording " + file + " ends here: " + TransferException.reason(full));
        }
    }

    /** Begins a member. When it is flushed all its lines can be read, and when it is closed the file stays open. */
    private static GZIPOutputStream member(FileChannel channel) throws IOException {
        OutputStream file = new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                ByteBuffer rest = ByteBuffer.wrap(bytes, offset, length);
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
            }
        };
        return new GZIPOutputStream(new BufferedOutputStream(file, WINDOW_BYTES), WINDOW_BYTES, true);
    }

    private void add(GZIPOutputStream open, byte[] line) throws IOException {
        open.write(line);
        open.write('\n');
        memberBytes += line.length;
    }

    private void endMember() throws IOException {
        GZIPOutputStream open = member;
        member = null;
        memberBytes = 0;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void onEnd() {
        if (!over) {
            over = true;
            try {
                endMember();
                markEnd();
            } catch (IOException full) {
                warnings.accept("the recording " + file + " is not finished: " + TransferException.reason(full));
            }
        }
        close(channel);
    }
}
