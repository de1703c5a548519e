package io.fdt.cli.batch;

import io.fdt.cli.command.Context;
import io.fdt.cli.copy.CopyStart;
import io.fdt.cli.display.JsonDisplay;
import io.fdt.cli.list.EntryJson;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.FileOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HashWords;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.Location;
import io.fdt.cli.value.Ranges;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.ValueParser;
import io.fdt.cli.value.Words;
import io.fdt.cli.verify.VerifyCommand;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.HashKind;
import io.fdt.core.engine.Connected;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.files.ListObserver.Entry;
import io.fdt.core.files.ListObserver.Space;
import io.fdt.core.files.OperationObserver;
import io.fdt.core.files.OperationSummary;
import io.fdt.core.files.Operations;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.FileOperation.Piece;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.run.Running;
import io.fdt.core.run.Threads;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifySummary;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Does what requests ask for, with the connections that they share. {@link #begin} is for one thread; what it starts
 * ends on other threads.
 */
final class BatchWork implements AutoCloseable {
    /** Copies that run at once; further ones wait. Each uses several lanes and threads. */
    private static final int MAX_COPIES = 4;

    /** A connection without requests ends after this time; the next request to its server opens another one. */
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Context context;
    private final @Nullable HostPort server;
    private final Settings settings;
    private final Semaphore copies = new Semaphore(MAX_COPIES);
    /** By server and network: copies and operations that agree in both share a connection. */
    private final Map<List<?>, Shared> connections = new ConcurrentHashMap<>();

    private @Nullable Operations here;

    /** A connection and the number of requests that use it. Thread-safe. */
    private static final class Shared {
        final Connected connected;
        private int requests;
        private long idleSinceNanos;
        private boolean over;

        Shared(Connected connected) {
            this.connected = connected;
        }

        /** Returns whether it can be used; {@link #release} follows. */
        synchronized boolean use() {
            if (!over) {
                requests++;
            }
            return !over;
        }

        synchronized void release(long nowNanos) {
            requests--;
            idleSinceNanos = nowNanos;
        }

        /** Returns whether no request may use it any more. */
        synchronized boolean endIfIdle(long nowNanos) {
            over = requests == 0 && nowNanos - idleSinceNanos > IDLE_NANOS;
            return over;
        }
    }

    /** @param server of paths without an address; null for this host */
    BatchWork(Context context, @Nullable HostPort server, Settings settings) {
        this.context = context;
        this.server = server;
        this.settings = settings;
    }

    /** Begins a request; throws USAGE if it makes no sense. */
    void begin(BatchLine line, BatchAnswer answer) {
        switch (line.op()) {
            case "copy" -> copy(line, answer);
            case "verify" -> verify(line, answer);
            case "stat" -> operate(line, answer, Action.STAT, false, "paths", "path");
            case "list" -> operate(line, answer, Action.LIST, line.flag("recursive"), "path", "recursive");
            case "read" -> read(line, answer);
            case "sum" -> operate(line, answer, Action.SUM, false, "paths", "path", "type");
            case "mkdir" ->
                operate(line, answer, Action.MAKE_DIRECTORY, line.flag("parents"), "paths", "path", "parents");
            case "move" -> operate(line, answer, Action.MOVE, false, "from", "to");
            case "remove" -> operate(line, answer, Action.REMOVE, line.flag("recursive"), "paths", "path", "recursive");
            case "df" -> operate(line, answer, Action.SPACE, false, "paths", "path");
            default ->
                throw Cause.USAGE.failure("unknown operation " + UserText.quoted(line.op())
                        + "; one of copy, verify, stat, list, read, sum, mkdir, move, remove, df, cancel");
        }
    }

    private void copy(BatchLine line, BatchAnswer answer) {
        line.allow(Set.of("from", "to", "options", "files"));
        List<String> args = new ArrayList<>(line.texts("options"));
        args.add("--");
        args.addAll(line.texts("from"));
        args.add(line.text("to"));
        CopyStart start = CopyStart.of(args, context);
        HostPort to = start.server();
        List<InetAddress> local = start.plan().get(CopyValue.LOCAL_ADDRESSES);
        Connected connection = to == null ? null : connection(to, start.network(), local, start.timeoutMs(), answer);
        CopyAnswer display = new CopyAnswer(answer, line.flag("files"), context.clock());
        onThread(answer, () -> {
            copies.acquire();
            try {
                TransferJob job = connection == null
                        ? start.startAlone(context.fdt(), display)
                        : connection.copy(start.plan(), display);
                try (job) {
                    answer.stoppedBy(job::interrupt);
                    display.follow(job);
                }
            } finally {
                copies.release();
            }
        });
    }

    private void verify(BatchLine line, BatchAnswer answer) {
        line.allow(Set.of("args"));
        List<String> args = line.texts("args");
        onThread(answer, () -> {
            VerifyObserver observer = new VerifyObserver() {
                @Override
                public void onDifference(String path, Finding finding, @Nullable String detail) {
                    answer.line(
                            "file",
                            new JsonObject()
                                    .with("path", path)
                                    .with("outcome", Word.of(finding))
                                    .with("reason", detail));
                }
            };
            try (VerifyJob job = VerifyCommand.start(args, context, observer)) {
                answer.stoppedBy(job::interrupt);
                end(answer, job.await());
            }
        });
    }

    private static void end(BatchAnswer answer, VerifySummary summary) {
        Failure failure = summary.failure();
        VerifySummary.Differences found = summary.differences();
        JsonObject figures = new JsonObject()
                .with("files", summary.files())
                .with("bytes", summary.bytes())
                .with("differing", found.differing())
                .with("missing", found.missing())
                .with("extra", found.extra())
                .with("files_unverified", found.unverified())
                .with("digest", summary.digest());
        if (failure == null) {
            answer.done(figures);
        } else {
            answer.error(failure, figures);
        }
    }

    private static void onThread(BatchAnswer answer, Threads.Work work) {
        Threads.start("fdt-batch", () -> {
            Thread thread = Thread.currentThread();
            answer.stoppedBy(why -> thread.interrupt());
            try {
                work.run();
            } catch (InterruptedException e) {
                answer.error(answer.stopOr(Failure.of(Cause.INTERRUPTED, "interrupted")));
            } catch (RuntimeException | Error e) {
                answer.error(TransferException.of(e).failure());
            }
        });
    }

    private void operate(BatchLine line, BatchAnswer answer, Action action, boolean deep, String... fields) {
        line.allow(Set.of(fields));
        Named named = named(line, action);
        String type = action == Action.SUM ? String.valueOf(line.optionalText("type")) : "";
        String sumType = type.equals("null") ? "sha256" : type;
        FileOperation operation = new FileOperation(action, named.paths(), deep, hash(action, sumType));
        start(operation, named, answer, new Answers(answer, named.shown(), sumType, null));
    }

    private void read(BatchLine line, BatchAnswer answer) {
        line.allow(Set.of("paths", "path", "ranges", "into"));
        Named named = named(line, Action.READ);
        List<RawPath> paths = new ArrayList<>();
        List<Piece> pieces = new ArrayList<>();
        List<String> texts = line.texts("ranges");
        boolean onePath = named.paths().size() == 1;
        if (!texts.isEmpty() && !onePath && texts.size() != named.paths().size()) {
            throw Cause.USAGE.failure("\"ranges\" has one range for each path, or several of a single path");
        }
        for (int i = 0; i < Math.max(texts.size(), named.paths().size()); i++) {
            RawPath path = named.paths().get(onePath ? 0 : i);
            // Several ranges of a file that follow each other are read from it opened once.
            if (texts.isEmpty()
                    || paths.isEmpty()
                    || !paths.get(paths.size() - 1).equals(path)) {
                paths.add(path);
            }
            if (!texts.isEmpty()) {
                Range range = parsed("range", texts.get(i), Ranges::parse);
                pieces.add(new Piece(paths.size() - 1, range.offset(), range.lengthBytes()));
            }
        }
        FileOperation operation = new FileOperation(Action.READ, paths, false, DigestKind.NONE, pieces);
        DataFile into = new DataFile(line.text("into"));
        start(operation, named, answer, new Answers(answer, named.shown(), "", into));
    }

    private void start(FileOperation operation, Named named, BatchAnswer answer, OperationObserver observer) {
        Running<OperationSummary> run = operations(named.at(), answer).start(operation, observer);
        answer.stoppedBy(run::interrupt);
    }

    /**
     * The paths of a request.
     *
     * @param at their server; null for this host
     * @param shown each as the request has it
     */
    private record Named(@Nullable HostPort at, List<RawPath> paths, Map<RawPath, String> shown) {}

    private Named named(BatchLine line, Action action) {
        List<String> texts = new ArrayList<>();
        for (String field : action == Action.MOVE ? List.of("from", "to") : List.of("paths", "path")) {
            texts.addAll(line.texts(field));
        }
        if (!action.takes(texts.size())) {
            throw Cause.USAGE.failure(
                    UserText.quoted(line.op()) + " needs " + (texts.isEmpty() ? "a path" : "other paths than these"));
        }
        List<Location> places = texts.stream().map(this::place).toList();
        Map<RawPath, String> shown = new HashMap<>();
        for (int i = 0; i < places.size(); i++) {
            if (!places.get(0).isBeside(places.get(i)) || places.get(i).ssh() != null) {
                throw Cause.USAGE.failure("the paths of one request are on one server");
            }
            shown.putIfAbsent(places.get(i).pathOrTop(), texts.get(i));
        }
        return new Named(
                places.isEmpty() ? server : places.get(0).server(),
                places.stream().map(Location::pathOrTop).toList(),
                shown);
    }

    private static HashKind hash(Action action, String type) {
        ValueParser<String> known = Words.among(FileOptions.TYPE.value().words());
        return action == Action.SUM ? HashWords.sum(parsed("type", type, known)) : DigestKind.NONE;
    }

    private static <T> T parsed(String name, String text, ValueParser<T> parser) {
        try {
            return parser.parse(text);
        } catch (BadValueException e) {
            throw Cause.USAGE.failure(name + " " + UserText.quoted(text) + ": " + e.expected());
        }
    }

    private Location place(String text) {
        return server == null || text.startsWith(Location.SCHEME)
                ? Location.ofOperand(text)
                : new Location(server, null, RawPath.ofText(text));
    }

    private Operations operations(@Nullable HostPort at, BatchAnswer answer) {
        if (at != null) {
            return connection(at, Network.links(settings), List.of(), Network.timeoutMs(settings), answer)
                    .operations();
        }
        Operations known = here;
        if (known == null) {
            known = context.fdt().operations("", 0, Network.timeoutMs(settings));
            here = known;
        }
        return known;
    }

    /** @param answer of the request that uses it, and gets the warnings if it is new */
    private Connected connection(
            HostPort to, Network network, List<InetAddress> local, long timeoutMs, BatchAnswer answer) {
        List<?> way = List.of(to.toString(), network.key());
        Shared shared = connections.get(way);
        if (shared == null || !shared.use()) {
            shared = new Shared(network.applied(context.fdt(), to.host())
                    .connected(
                            to.host(),
                            to.port(),
                            local,
                            timeoutMs,
                            warning -> answer.line("warning", new JsonObject().with("message", warning))));
            shared.use();
            connections.put(way, shared);
        }
        Shared used = shared;
        answer.atEnd(() -> used.release(context.clock().nanoTime()));
        return used.connected;
    }

    /** Ends the connections that no request has used for a while. On any thread. */
    void endIdle() {
        connections.forEach((way, shared) -> {
            if (shared.endIfIdle(context.clock().nanoTime())) {
                connections.remove(way, shared);
                shared.connected.close();
            }
        });
    }

    @Override
    public void close() {
        connections.values().forEach(shared -> shared.connected.close());
        if (here != null) {
            here.close();
        }
    }

    /** @param into the file for what is read; null if nothing is */
    private record Answers(
            BatchAnswer answer,
            Map<RawPath, String> shown,
            String sumType,
            @Nullable DataFile into) implements OperationObserver {
        private String shown(RawPath path) {
            return shown.getOrDefault(path, path.text());
        }

        @Override
        public void onEntry(Entry entry, byte[] digest, @Nullable String doubt) {
            answer.line("entry", EntryJson.withFound(EntryJson.of(entry, shown(entry.path())), sumType, digest, doubt));
        }

        @Override
        public void onFailed(RawPath path, Failure why) {
            answer.line(
                    "file",
                    new JsonObject()
                            .with("path", shown(path))
                            .with("outcome", "failed")
                            .with(JsonDisplay.ofFile(why)));
        }

        @Override
        public void onData(byte[] bytes) {
            Objects.requireNonNull(into).write(bytes);
        }

        @Override
        public void onSpace(Space space) {
            answer.line("space", EntryJson.of(space, shown(space.path())));
        }

        @Override
        public void onEnd(OperationSummary summary) {
            Failure failure = summary.failure();
            JsonObject figures = new JsonObject().with("paths", summary.done());
            if (into != null) {
                figures = figures.with("bytes", into.written());
                try {
                    into.close();
                } catch (TransferException unwritten) {
                    failure = failure == null ? unwritten.failure() : failure;
                }
            }
            if (failure == null) {
                answer.done(figures);
            } else {
                answer.error(failure, figures);
            }
        }
    }
}
