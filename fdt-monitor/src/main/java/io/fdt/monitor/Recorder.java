package io.fdt.monitor;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.framedlog.Frame;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Appends every sample to a file, which may contain samples of an earlier process. Each sample is one write; a sample
 * truncated by a crash is removed by the next process that records to the file, and ignored by readers. A full disk
 * ends the recording and nothing else. For the sampler's thread after construction.
 */
final class Recorder implements SampleListener {
    private final Path file;
    private final Consumer<String> warnings;
    private final Supplier<byte[]> facts;
    private final FileChannel channel;
    private final RecordingFormat.Encoder encoder = new RecordingFormat.Encoder();
    private boolean begun;
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
            throw FailureKind.TARGET.failure("cannot record to " + file + ": " + TransferException.reason(e), e);
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
            throw FailureKind.USAGE.failure("another process records to " + file + " already");
        }
        if (opened.size() == 0) {
            write(opened, RecordingFormat.HEAD);
            return;
        }
        // Uses this channel, because closing another one of the same file would release the lock.
        RecordingReader earlier = new RecordingReader(opened, file);
        RecordingReader.Entry entry = earlier.next();
        while (entry != null) {
            entry = earlier.next();
        }
        long whole = earlier.wholeBytes();
        if (whole < opened.size()) {
            if (!earlier.isTorn()) {
                throw FailureKind.USAGE.failure("the recording " + file + " is damaged at byte " + whole
                        + "; record to another file to keep the data after that byte");
            }
            warnings.accept("the recording " + file + " ended in the middle of a sample; its last "
                    + (opened.size() - whole) + " bytes were removed");
            opened.truncate(whole);
        }
        opened.position(whole);
    }

    @Override
    public void onSample(Sample sample, List<Figure> figures) {
        if (over) {
            return;
        }
        try {
            if (!begun) {
                begun = true;
                write(channel, Frame.of(RecordingFormat.facts(facts.get())));
            }
            write(channel, Frame.of(encoder.encode(sample)));
        } catch (IOException full) {
            over = true;
            close(channel);
            warnings.accept("the recording " + file + " ends here: " + TransferException.reason(full));
        }
    }

    private static void write(FileChannel channel, byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    @Override
    public void onEnd() {
        over = true;
        close(channel);
    }
}
