package io.fdt.cli.server;

import io.fdt.core.control.ServedFile;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Printable;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.AccessKey;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Work;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * In the server's first process: reports what {@link EventRelay} passes on from the process of an account, as far as
 * that process may say it: names go into logs, metrics and the environment of commands, and the operator takes the key
 * for the one that was admitted. For one thread, except {@link #sessions} and {@link #allow}.
 */
final class RelayedEvents {
    private static final int MAX_LIST = 100_000;
    /** No name that a server gives or shows is longer. */
    private static final int MAX_NAME_CHARS = 1024;

    private final ServerObserver observer;
    /** Before what the account's process says in its own words. */
    private final String account;

    private final int maxSessions;
    private final Map<String, Mirrored> mirrored = new HashMap<>();
    /** The sessions whose end has not been reported. */
    private final Map<String, Started> started = new HashMap<>();

    /** The names of the keys that admit clients there, now or before; empty for what has none. */
    private final Set<String> keys = ConcurrentHashMap.newKeySet();

    private volatile int sessions;

    private record Started(String peer, String key, long nanos) {}

    /** A session of the other process, as it was a moment ago. */
    private static final class Mirrored {
        final SessionActivity activity;
        final TransferFigures figures = new TransferFigures();
        final AtomicInteger queued = new AtomicInteger();
        final AtomicBoolean peerGone = new AtomicBoolean();
        final Map<Integer, Lane> lanes = new HashMap<>();

        Mirrored(SessionActivity activity) {
            this.activity = activity;
            activity.watchPeer(peerGone::get);
        }
    }

    private record Lane(LaneActivity activity, AtomicLong bytes) {}

    /**
     * @param user of the account
     * @param maxSessions of the other process; a session may start before the end of another is reported
     */
    RelayedEvents(ServerObserver observer, String user, int maxSessions) {
        this.observer = observer;
        this.account = "account " + user + ": ";
        this.maxSessions = 2 * maxSessions;
        keys.add("");
    }

    /** The other process admits clients with these keys, too. Any thread. */
    void allow(Collection<AccessKey> more) {
        more.forEach(key -> keys.add(key.name()));
    }

    private void requireRoom(Map<String, ?> sessionsByName, String session) throws IOException {
        if (sessionsByName.size() >= maxSessions && !sessionsByName.containsKey(session)) {
            throw new IOException("it reports too many sessions");
        }
    }

    void warn(String text) {
        observer.onWarning(text);
    }

    /** How many sessions are running. Any thread. */
    int sessions() {
        return sessions;
    }

    /** Reports an event; false for a message that is none. */
    boolean report(int type, byte[] payload) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(payload));
        switch (type) {
            case EventRelay.START -> start(in);
            case EventRelay.OPEN -> open(in);
            case EventRelay.END -> end(in);
            case EventRelay.FILE -> file(in);
            case EventRelay.WARNING -> observer.onWarning(account + text(in));
            case EventRelay.REFUSED -> observer.onRefused(name(in), account + text(in));
            case EventRelay.REFUSAL -> observer.onRefusal(cause(text(in)));
            case EventRelay.FIGURES -> figures(in);
            default -> {
                return false;
            }
        }
        return true;
    }

    /** The other process has ended, and with it all its sessions. */
    void endAll(String why) {
        started.forEach((session, of) -> {
            long nanos = System.nanoTime() - of.nanos;
            conclude(session, of, Summary.of(Cause.CONNECTION_LOST.failure(why), 0, 0, 0, 0, nanos, session));
        });
        started.clear();
        mirrored.values().forEach(each -> each.activity.end());
        mirrored.clear();
        sessions = 0;
    }

    static @Nullable String optionalText(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0) {
            return null;
        }
        if (length > in.available() / Character.BYTES) {
            throw new IOException("a text is longer than its message");
        }
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(in.readChar());
        }
        return text.toString();
    }

    static String text(DataInputStream in) throws IOException {
        String text = optionalText(in);
        if (text == null) {
            throw new IOException("a text is missing");
        }
        return text;
    }

    private static String name(DataInputStream in) throws IOException {
        String name = text(in);
        if (name.length() > MAX_NAME_CHARS || !name.codePoints().allMatch(Printable::isPrintable)) {
            throw new IOException("it reports a name that no server uses");
        }
        return name;
    }

    private String key(DataInputStream in) throws IOException {
        String name = text(in);
        if (!keys.contains(name)) {
            throw new IOException("it reports a key that is none of the account's");
        }
        return name;
    }

    static byte[] bytes(DataInputStream in) throws IOException {
        return in.readNBytes(count(in));
    }

    private static @Nullable RawPath path(DataInputStream in) throws IOException {
        return in.readBoolean() ? RawPath.ofBytes(bytes(in)) : null;
    }

    static int count(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MAX_LIST) {
            throw new IOException("a list of " + count);
        }
        return count;
    }

    private static <E extends Enum<E>> E named(Class<E> type, DataInputStream in) throws IOException {
        try {
            return Enum.valueOf(type, text(in));
        } catch (IllegalArgumentException unknown) {
            throw new IOException("an unknown word", unknown);
        }
    }

    private void start(DataInputStream in) throws IOException {
        String session = name(in);
        Started of = new Started(name(in), key(in), System.nanoTime());
        if (of.key.isEmpty()) {
            throw new IOException("it reports a client without a key");
        }
        requireRoom(started, session);
        started.put(session, of);
        sessions = started.size();
        observer.onSessionStart(session, of.peer, of.key, text(in));
    }

    private void open(DataInputStream in) throws IOException {
        SessionActivity activity = new SessionActivity(name(in), name(in), new SessionCounters());
        activity.admit(key(in), text(in), kind(in));
        requireRoom(mirrored, activity.name());
        mirrored.put(activity.name(), new Mirrored(activity));
        observer.onSessionOpen(activity);
    }

    private static SessionActivity.@Nullable Kind kind(DataInputStream in) throws IOException {
        return in.readBoolean()
                ? new SessionActivity.Kind(named(SessionActivity.Service.class, in), named(Direction.class, in))
                : null;
    }

    /** Those of a session are the ones that it started with. */
    private static void skipPeerAndKey(DataInputStream in) throws IOException {
        String unusedPeer = text(in);
        String unusedKey = text(in);
    }

    private void end(DataInputStream in) throws IOException {
        String session = name(in);
        skipPeerAndKey(in);
        Summary summary = summary(in);
        Started of = started.remove(session);
        if (of == null) {
            throw new IOException("it reports the end of a session that it has not");
        }
        sessions = started.size();
        conclude(session, of, summary);
    }

    private void conclude(String session, Started of, Summary summary) {
        Mirrored known = mirrored.remove(session);
        if (known != null) {
            known.activity.conclude(summary);
            known.activity.end();
        }
        observer.onSessionEnd(session, of.peer, of.key, summary);
    }

    private void file(DataInputStream in) throws IOException {
        String session = name(in);
        skipPeerAndKey(in);
        RawPath path = path(in);
        if (path == null) {
            throw new IOException("a path is missing");
        }
        ServedFile.Place place = new ServedFile.Place(path, path(in), path(in));
        boolean incoming = in.readBoolean();
        long length = in.readLong();
        long nanos = in.readLong();
        String digest = optionalText(in);
        Map<FileHash, String> sums = new EnumMap<>(FileHash.class);
        for (int left = count(in); left > 0; left--) {
            FileHash kind = FileHash.ofCode(in.readInt());
            if (kind == null) {
                throw new IOException("an unknown checksum");
            }
            sums.put(kind, text(in));
        }
        ServedFile.Hashes hashes = new ServedFile.Hashes(digest, sums);
        ServedFile file = new ServedFile(
                place, incoming, length, nanos, hashes, new ServedFile.Result(text(in), optionalText(in), failure(in)));
        Started of = started.get(session);
        // Other threads tell of files, too, and may be late.
        if (of != null) {
            observer.onFile(session, of.peer, of.key, file);
        }
    }

    /** Returns the failure of {@link AccountServer#FAILED}. */
    static TransferException failed(byte[] payload) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(payload));
        return someFailure(in).exception();
    }

    private static @Nullable Failure failure(DataInputStream in) throws IOException {
        String word = optionalText(in);
        return word == null
                ? null
                : new Failure(cause(word), text(in), optionalText(in), text(in), optionalText(in), optionalText(in));
    }

    private static Failure someFailure(DataInputStream in) throws IOException {
        Failure failure = failure(in);
        if (failure == null) {
            throw new IOException("a failure is missing");
        }
        return failure;
    }

    private static Cause cause(String word) throws IOException {
        Cause known = Cause.ofWord(word);
        if (known == null) {
            throw new IOException("an unknown failure");
        }
        return known;
    }

    private static Summary summary(DataInputStream in) throws IOException {
        Failure failure = failure(in);
        long[] files = numbers(in, 4);
        List<Summary.FailedFile> failed = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            failed.add(new Summary.FailedFile(text(in), someFailure(in)));
        }
        long[] bytes = numbers(in, 5);
        String session = name(in);
        long[] run = numbers(in, 3);
        String bottleneck = name(in);
        String digest = optionalText(in);
        long[] preview = in.readBoolean() ? numbers(in, 4) : null;
        return new Summary(
                failure,
                new Summary.Files(files[0], files[1], files[2], files[3], failed),
                new Summary.Bytes(bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]),
                new Summary.Run(session, (int) run[0], run[1], run[2], bottleneck),
                digest,
                preview == null ? null : new Summary.Preview(preview[0], preview[1], preview[2], preview[3]));
    }

    private static long[] numbers(DataInputStream in, int count) throws IOException {
        long[] numbers = new long[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = in.readLong();
        }
        return numbers;
    }

    private void figures(DataInputStream in) throws IOException {
        Mirrored session = mirrored.get(text(in));
        if (session == null) {
            return;
        }
        boolean ended = in.readBoolean();
        session.peerGone.set(in.readBoolean());
        if (in.readBoolean()) {
            work(in, session);
        }
        if (ended) {
            // Its result follows.
            session.activity.end();
        }
    }

    private static void work(DataInputStream in, Mirrored session) throws IOException {
        SessionActivity activity = session.activity;
        String shard = name(in);
        if (!shard.isEmpty()) {
            activity.movesShard(shard);
        }
        SessionActivity.Service service = named(SessionActivity.Service.class, in);
        Direction direction = named(Direction.class, in);
        String digest = name(in);
        session.queued.set(in.readInt());
        TransferFigures figures = in.readBoolean() ? session.figures : null;
        if (figures != null) {
            for (AtomicLong total : EventRelay.totals(figures)) {
                total.set(in.readLong());
            }
            figures.file = optionalText(in);
            figures.totalsFinal = in.readBoolean();
            figures.endless = in.readBoolean();
            figures.dryRun = in.readBoolean();
        }
        SessionCounters counters = activity.counters();
        counters.addFlushNanos(in.readLong() - counters.flushNanos());
        if (activity.work() == null) {
            activity.begin(new Work(service, direction, digest, figures, session.queued::get));
        }
        for (int left = count(in); left > 0; left--) {
            lane(in, session);
        }
    }

    private static void lane(DataInputStream in, Mirrored session) throws IOException {
        int index = in.readInt();
        Direction direction = named(Direction.class, in);
        String transport = name(in);
        long bytes = in.readLong();
        boolean open = in.readBoolean();
        Lane lane = session.lanes.get(index);
        if (lane == null || (open && !lane.activity.isOpen())) {
            AtomicLong count = new AtomicLong(bytes);
            lane = new Lane(session.activity.join(index, direction, transport, count::get), count);
            session.lanes.put(index, lane);
        }
        lane.bytes.set(bytes);
        for (Counter counter : Counter.values()) {
            long value = in.readLong();
            var counters = session.activity.counters().lane(index);
            counters.add(counter, value - counters.get(counter));
        }
        if (in.readBoolean()) {
            lane.activity.connects(address(in), address(in));
        }
        if (in.readBoolean()) {
            lane.activity.publish(stream(numbers(in, 14)));
        }
        if (!open) {
            lane.activity.close();
        }
    }

    private static InetSocketAddress address(DataInputStream in) throws IOException {
        InetAddress host = InetAddress.getByAddress(bytes(in));
        int port = in.readInt();
        if (port < 0 || port > 65_535) {
            throw new IOException("a port " + port);
        }
        return new InetSocketAddress(host, port);
    }

    private static StreamFigures stream(long[] of) {
        return new StreamFigures(
                of[0],
                of[1],
                (int) of[2],
                new StreamFigures.RoundTrip((int) of[3], of[4]),
                new StreamFigures.Windows(of[5], of[6], of[7]),
                new StreamFigures.SendTime(of[8], of[9], of[10]),
                new LanePlace((int) of[11], (int) of[12], (int) of[13]));
    }
}
