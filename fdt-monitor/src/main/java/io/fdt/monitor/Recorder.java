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
 * Writes every sample to a file, behind what an earlier process recorded there. A sample is one write; what a crash
 * tears is cut off by who records there next, and left out by who reads. A disk that is full ends the recording and
 * nothing else. Belongs to the sampler's thread once it is made.
 */
final class Recorder implements SampleListener {
    private final Path file;
    private final Consumer<String> warnings;
    private final Supplier<byte[]> facts;
    private final FileChannel channel;
    private final RecordingFormat.Encoder encoder = new RecordingFormat.Encoder();
    private boolean begun;
    private boolean over;

    /** Facts are asked for once, on the sampler's thread. Throws TARGET, or USAGE when something else is there. */
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
            // That it is of no use any more is told by who found out.
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
        // On this channel: to close another one of the file would give up the lock.
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
