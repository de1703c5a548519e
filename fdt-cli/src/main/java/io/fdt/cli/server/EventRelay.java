package io.fdt.cli.server;

import io.fdt.core.control.ServedFile;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.RawPath;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Work;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transport.local.PassingSocket;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * In the process of an account: passes the events of its sessions, and once a second their figures, to the server's
 * first process, whose {@link RelayedEvents} report them like its own. Thread-safe.
 */
final class EventRelay implements ServerObserver {
    /** The types of messages. */
    static final int START = 1;

    static final int OPEN = 2;
    static final int END = 3;
    static final int FILE = 4;
    static final int WARNING = 5;
    static final int REFUSED = 6;
    static final int REFUSAL = 7;
    static final int FIGURES = 8;

    private final PassingSocket socket;
    private final boolean files;
    private final Checksums checksums;
    private final Map<SessionActivity, Boolean> open = new ConcurrentHashMap<>();
    private final SurvivedFailures failures = new SurvivedFailures();

    /**
     * @param files whether the server wants to know about each file
     * @param checksums that the server wants of each file
     */
    EventRelay(PassingSocket socket, boolean files, Checksums checksums) {
        this.socket = socket;
        this.files = files;
        this.checksums = checksums;
    }

    /** Starts to pass figures on. */
    void begin() {
        Threads.start("fdt-relay", () -> {
            while (true) {
                TimeUnit.SECONDS.sleep(1);
                var unused = failures.survives(this::sendAllFigures);
            }
        });
    }

    private void sendAllFigures() {
        open.keySet().removeIf(session -> {
            boolean ended = session.isEnded();
            sendFigures(session);
            return ended;
        });
    }

    interface Fields {
        void write(DataOutputStream out) throws IOException;
    }

    static byte[] bytes(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            fields.write(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Any text, including lone surrogates. */
    static void text(DataOutputStream out, @Nullable String text) throws IOException {
        out.writeInt(text == null ? -1 : text.length());
        if (text != null) {
            out.writeChars(text);
        }
    }

    private static void path(DataOutputStream out, @Nullable RawPath path) throws IOException {
        out.writeBoolean(path != null);
        if (path != null) {
            byte[] bytes = path.toBytes();
            out.writeInt(bytes.length);
            out.write(bytes);
        }
    }

    private void send(int type, Fields fields) {
        // If the other process is gone, this one ends.
        boolean unused = socket.send(type, bytes(fields));
    }

    private void sendTexts(int type, String... texts) {
        send(type, out -> {
            for (String text : texts) {
                text(out, text);
            }
        });
    }

    @Override
    public void onSessionStart(String session, String peer, String key, String what) {
        sendTexts(START, session, peer, key, what);
    }

    @Override
    public void onSessionOpen(SessionActivity session) {
        send(OPEN, out -> {
            text(out, session.name());
            text(out, session.peer());
            text(out, session.key());
            text(out, session.purpose());
            SessionActivity.Kind kind = session.kind();
            out.writeBoolean(kind != null);
            if (kind != null) {
                text(out, kind.service().name());
                text(out, kind.direction().name());
            }
        });
        open.put(session, true);
        sendFigures(session);
    }

    @Override
    public void onSessionEnd(String session, String peer, String key, Summary summary) {
        open.keySet().stream().filter(each -> each.name().equals(session)).forEach(this::sendFigures);
        open.keySet().removeIf(each -> each.name().equals(session));
        send(END, out -> {
            text(out, session);
            text(out, peer);
            text(out, key);
            summary(out, summary);
        });
    }

    @Override
    public boolean watchesFiles() {
        return files;
    }

    @Override
    public Checksums checksums() {
        return checksums;
    }

    @Override
    public void onFile(String session, String peer, String key, ServedFile file) {
        send(FILE, out -> {
            text(out, session);
            text(out, peer);
            text(out, key);
            ServedFile.Place place = file.place();
            path(out, place.path());
            path(out, place.root());
            path(out, place.full());
            out.writeBoolean(file.incoming());
            out.writeLong(file.bytes());
            out.writeLong(file.nanos());
            text(out, file.hashes().digest());
            Map<FileHash, String> sums = file.hashes().checksums();
            out.writeInt(sums.size());
            for (Map.Entry<FileHash, String> sum : sums.entrySet()) {
                out.writeInt(sum.getKey().code());
                text(out, sum.getValue());
            }
            text(out, file.result().outcome());
            text(out, file.result().note());
            failure(out, file.result().failure());
        });
    }

    @Override
    public void onWarning(String text) {
        sendTexts(WARNING, text);
    }

    @Override
    public void onRefused(String peer, String why) {
        sendTexts(REFUSED, peer, why);
    }

    @Override
    public void onRefusal(Cause cause) {
        sendTexts(REFUSAL, cause.word());
    }

    private static void summary(DataOutputStream out, Summary summary) throws IOException {
        failure(out, summary.failure());
        Summary.Files files = summary.files();
        numbers(out, files.inPlace(), files.skipped(), files.failed(), files.deleted());
        out.writeInt(files.firstFailed().size());
        for (Summary.FailedFile failed : files.firstFailed()) {
            text(out, failed.path());
            failure(out, failed.failure());
        }
        Summary.Bytes bytes = summary.bytes();
        numbers(out, bytes.inPlace(), bytes.moved(), bytes.sent(), bytes.resumed(), bytes.resent());
        Summary.Run run = summary.run();
        text(out, run.session());
        numbers(out, run.lanes(), run.lanesReplaced(), run.elapsedNanos());
        text(out, run.bottleneck());
        text(out, summary.digest());
        Summary.Preview preview = summary.preview();
        out.writeBoolean(preview != null);
        if (preview != null) {
            numbers(
                    out,
                    preview.filesToCopy(),
                    preview.filesToReplace(),
                    preview.filesToDelete(),
                    preview.bytesToCopy());
        }
    }

    /** Writes a failure, or that there is none. */
    static void failure(DataOutputStream out, @Nullable Failure failure) throws IOException {
        text(out, failure == null ? null : failure.cause().word());
        if (failure != null) {
            text(out, failure.place());
            text(out, failure.path());
            text(out, failure.detail());
            text(out, failure.errno());
            text(out, failure.ownRemedy());
        }
    }

    private static void numbers(DataOutputStream out, long... numbers) throws IOException {
        for (long number : numbers) {
            out.writeLong(number);
        }
    }

    /** The totals of a transfer in the order in which they are passed on. */
    static List<AtomicLong> totals(TransferFigures of) {
        return List.of(
                of.bytesTotal,
                of.bytesDone,
                of.bytesMoved,
                of.bytesInPlace,
                of.bytesResumed,
                of.bytesResent,
                of.filesTotal,
                of.filesDone,
                of.filesPlaced,
                of.filesFailed,
                of.filesSkipped,
                of.filesDeleted,
                of.filesToCopy,
                of.filesToReplace,
                of.bytesToCopy,
                of.lanesAlive,
                of.lanesReplaced);
    }

    private void sendFigures(SessionActivity session) {
        // Read first: what is counted until then is passed on.
        boolean ended = session.isEnded();
        send(FIGURES, out -> {
            text(out, session.name());
            out.writeBoolean(ended);
            out.writeBoolean(session.isPeerGone());
            Work work = session.work();
            out.writeBoolean(work != null);
            if (work == null) {
                return;
            }
            text(out, session.shard());
            text(out, work.service().name());
            text(out, work.direction().name());
            text(out, work.digest());
            out.writeInt(work.queued().getAsInt());
            TransferFigures figures = work.figures();
            out.writeBoolean(figures != null);
            if (figures != null) {
                for (AtomicLong total : totals(figures)) {
                    out.writeLong(total.get());
                }
                text(out, figures.file);
                out.writeBoolean(figures.totalsFinal);
                out.writeBoolean(figures.endless);
                out.writeBoolean(figures.dryRun);
            }
            out.writeLong(session.counters().flushNanos());
            List<LaneActivity> lanes = session.lanes();
            out.writeInt(lanes.size());
            for (LaneActivity lane : lanes) {
                lane(out, session, lane);
            }
        });
    }

    private static void lane(DataOutputStream out, SessionActivity session, LaneActivity lane) throws IOException {
        out.writeInt(lane.index());
        text(out, lane.direction().name());
        text(out, session.transport());
        out.writeLong(lane.bytes());
        out.writeBoolean(lane.isOpen());
        for (Counter counter : Counter.values()) {
            out.writeLong(session.counters().lane(lane.index()).get(counter));
        }
        LaneActivity.Ends ends = lane.ends();
        out.writeBoolean(ends != null);
        if (ends != null) {
            for (InetSocketAddress end : List.of(ends.local(), ends.remote())) {
                byte[] address = end.getAddress().getAddress();
                out.writeInt(address.length);
                out.write(address);
                out.writeInt(end.getPort());
            }
        }
        StreamFigures stream = lane.figures();
        out.writeBoolean(stream != null);
        if (stream != null) {
            numbers(
                    out,
                    stream.ackedBytes(),
                    stream.retransmits(),
                    stream.timeouts(),
                    stream.roundTrip().us(),
                    stream.roundTrip().minUs(),
                    stream.windows().congestionBytes(),
                    stream.windows().receiverBytes(),
                    stream.windows().paceBytesPerSecond(),
                    stream.time().busyUs(),
                    stream.time().receiverLimitedUs(),
                    stream.time().bufferLimitedUs(),
                    stream.place().core(),
                    stream.place().incomingCore(),
                    stream.place().incomingQueue());
        }
    }
}
