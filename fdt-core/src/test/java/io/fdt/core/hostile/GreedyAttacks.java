package io.fdt.core.hostile;

import io.fdt.core.basic.HostView;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.Plans;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.FileMessage;
import io.fdt.core.wire.NettestMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Attacks by which a client with a key tries to take more than its share of a server. Each attack returns when the
 * server has received all of it, and everything that it opened stays open until {@link #close}. Tests of other modules
 * use these attacks too.
 */
public final class GreedyAttacks implements AutoCloseable {
    private static final int PAGE_ENTRIES = 200;
    private static final int CHUNK_BYTES = 1 << 20;
    private static final int PARTIALS_AT_ONCE = 16;
    private static final int FAILURES_AT_ONCE = 40;
    /** In a message: few enough for the last of them to fit into what is left. */
    private static final int LEFT_OUT = 8_192;

    /** A server that sends nothing for so long probably waits. */
    private static final long QUIET_MS = 1_000;

    private final HostileClient client;
    private final List<RawLink> links = new ArrayList<>();
    private final List<RawLane> lanes = new ArrayList<>();

    /** @param keyLine the line that {@code fdt key show} prints */
    public GreedyAttacks(InetSocketAddress server, String keyLine) {
        this.client = new HostileClient(server, ServerAccess.parse(keyLine));
    }

    private HostileClient.Opened open(TransferMessage.OpenTransfer request) throws InterruptedException {
        HostileClient.Opened open = client.open(request);
        links.add(open.link());
        open.link().send(new TransferMessage.SourceShape(false));
        return open;
    }

    private static TransferMessage.Verdicts required(HostileClient.Opened open) throws InterruptedException {
        TransferMessage.Verdicts verdicts = open.link().next(TransferMessage.Verdicts.class);
        if (verdicts == null) {
            throw new AssertionError("the server ended the session");
        }
        return verdicts;
    }

    /** Makes a tree whose walk is at its bottom while its reader takes no more than the first pages of names. */
    public static void makeDeepTree(Path top) throws IOException {
        Path directory = Files.createDirectories(top.resolve(String.join("/", Collections.nCopies(60, "d"))));
        for (int i = 0; i < 6_000; i++) {
            Files.createFile(directory.resolve(i + "n".repeat(240)));
        }
    }

    /** Opens sessions, as many as there are, with as many listings as each may have, and reads none to its end. */
    public void walkDeep(String directory, int sessions) throws InterruptedException {
        operate(FileOperation.Action.LIST, directory, sessions);
    }

    /** Opens sessions, as many as there are, with as many sums of a file as each may have. */
    public void sum(String file, int sessions) throws InterruptedException {
        operate(FileOperation.Action.SUM, file, sessions);
    }

    private void operate(FileOperation.Action action, String path, int sessions) throws InterruptedException {
        for (int i = 0; i < sessions; i++) {
            RawLink link = client.authenticated();
            links.add(link);
            link.send(new FileMessage.OpenFiles(600_000, null));
            if (link.next(SessionMessage.Opened.class) != null) {
                for (int id = 1; id < Bounds.MAX_OPERATIONS; id++) {
                    link.send(operation(id, action, path));
                }
                // It ends when the others have begun.
                link.send(operation(Bounds.MAX_OPERATIONS, FileOperation.Action.STAT, path));
                FileMessage.Ended last = link.next(FileMessage.Ended.class);
                while (last != null && last.id() != Bounds.MAX_OPERATIONS) {
                    last = link.next(FileMessage.Ended.class);
                }
            }
        }
    }

    private static FileMessage.Operate operation(int id, FileOperation.Action action, String path) {
        return new FileMessage.Operate(
                id, new FileOperation(action, List.of(RawPath.ofText(path)), true, FileHash.MD5));
    }

    /** Offers directories with paths of the maximum length, each with no prefix in common with the one before. */
    public void offerLongDirectories(int count) throws InterruptedException {
        HostileClient.Opened open = open(HostileClient.push("/"));
        List<FileEntry> above = new ArrayList<>();
        for (String first : List.of("a", "b")) {
            String path = first.repeat(250);
            for (int depth = 0; depth < 16; depth++) {
                above.add(Frames.directory(path));
                path += "/" + first.repeat(250);
            }
        }
        open.link().send(new TransferMessage.ManifestPage(0, above));
        required(open);
        List<FileEntry> page = new ArrayList<>();
        for (int i = 0; i < PAGE_ENTRIES; i++) {
            page.add(above.get(i % 2 == 0 ? 15 : 31));
        }
        for (int sent = 0; sent < count; sent += PAGE_ENTRIES) {
            open.link().send(new TransferMessage.ManifestPage(above.size() + sent, page));
            required(open);
        }
    }

    /** Opens pulls with globs that consist only of character classes, which take the most memory. */
    public void sendGlobs(int sessions, int globs) throws InterruptedException {
        PathRule rule = new PathRule(false, RawPath.ofText("[a]".repeat(1365)));
        for (int i = 0; i < sessions; i++) {
            RawLink link = client.authenticated();
            links.add(link);
            link.send(pull(Collections.nCopies(globs, rule)));
            link.next(SessionMessage.Opened.class);
        }
    }

    private static TransferMessage.OpenTransfer pull(List<PathRule> rules) {
        return new TransferMessage.OpenTransfer(HostileClient.pull("/")
                .request()
                .with(CopyValue.SOURCES, List.of(RawPath.ofText("/")))
                .with(CopyValue.RULES, rules));
    }

    /** Offers files that exist, to be compared with digests that never arrive. */
    public void offerToCompare(List<String> names, int sizeBytes, int times) throws InterruptedException {
        HostileClient.Opened open = open(HostileClient.comparingPush("/"));
        int id = 0;
        for (int round = 0; round < times; round++) {
            for (int from = 0; from < names.size(); from += PAGE_ENTRIES) {
                List<FileEntry> page = names.subList(from, Math.min(names.size(), from + PAGE_ENTRIES)).stream()
                        .map(name -> Frames.file(name, sizeBytes))
                        .toList();
                open.link().send(new TransferMessage.ManifestPage(id, page));
                id += page.size();
                required(open);
            }
        }
    }

    /** Leaves partials with journals behind, in sessions that are each within the limits. */
    public void leavePartials(String directory, int count) throws InterruptedException {
        for (int from = 0; from < count; from += PARTIALS_AT_ONCE) {
            HostileClient.Opened open = open(HostileClient.durablePush(directory));
            RawLane lane = client.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), false);
            int files = Math.min(PARTIALS_AT_ONCE, count - from);
            open.link().send(new TransferMessage.ManifestPage(0, partials(from, from + files)));
            required(open);
            for (int i = 0; i < files; i++) {
                lane.send(Frames.holes(open.session().sessionId(), i, 0, CHUNK_BYTES));
            }
            for (int durable = 0; durable < files; ) {
                TransferMessage.Acknowledged acknowledged = open.link().next(TransferMessage.Acknowledged.class);
                if (acknowledged == null) {
                    throw new AssertionError("the server ended the session");
                }
                durable += acknowledged.fileIds().length;
            }
            open.link().send(new SessionMessage.Failed(Failure.of(Cause.INTERRUPTED, "enough")));
            open.link().awaitClose();
            lane.close();
        }
    }

    private static List<FileEntry> partials(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> Frames.file("part" + i, 3 * CHUNK_BYTES))
                .toList();
    }

    /**
     * Offers the partials again, and never sends the missing chunks. For some of them there is no verdict until others
     * end.
     */
    public void resumePartials(String directory, int count) throws InterruptedException {
        HostileClient.Opened open = open(HostileClient.durablePush(directory));
        open.link().send(new TransferMessage.ManifestPage(0, partials(0, count)));
        required(open);
    }

    /** Opens attempt after attempt of the same lane. */
    public void repeatALane(int attempts) throws InterruptedException {
        HostileClient.Opened open = open(HostileClient.push("/"));
        for (int i = 0; i < attempts; i++) {
            lanes.add(client.lane(open.session(), 0, i, HostileClient.proof(open.session(), 0, i), false));
        }
    }

    /** Opens pulls whose client disappears without notice. */
    public void desertPulls(int count) throws InterruptedException {
        for (int i = 0; i < count; i++) {
            HostileClient.Opened open = client.open(pull(List.of()));
            open.link().abort(Cause.CONNECTION_LOST.failure("gone"));
        }
    }

    /** Sends names without end to sessions that first match patterns against a large directory. */
    public void floodBusySessions(String directory, int sessions, int messages) throws InterruptedException {
        List<RawPath> patterns = IntStream.range(0, 4096)
                .mapToObj(i -> RawPath.ofText(directory + "/*" + i + "x"))
                .toList();
        List<RawPath> names = Collections.nCopies(65_536, RawPath.ofText("n"));
        for (int i = 0; i < sessions; i++) {
            RawLink link = client.authenticated();
            links.add(link);
            link.send(new TransferMessage.OpenTransfer(
                    HostileClient.pull(directory).request().with(CopyValue.SOURCES, patterns)));
        }
        for (int i = 0; i < messages; i++) {
            for (RawLink link : links) {
                link.send(new TransferMessage.SourceNames(names));
            }
        }
    }

    /** Sends as many short names as a request may have, on many links, and never the request. */
    public void sendNamesAhead(int count) throws InterruptedException {
        TransferMessage.SourceNames names =
                new TransferMessage.SourceNames(Collections.nCopies(Bounds.MAX_LIST, RawPath.ofText("n")));
        for (int i = 0; i < count; i++) {
            RawLink link = client.authenticated();
            links.add(link);
            for (int sent = 0; sent < TransferPlan.MAX_NAMES; sent += Bounds.MAX_LIST) {
                link.send(names);
            }
        }
        for (RawLink link : links) {
            // A refusal, or nothing while the server keeps all of them.
            link.poll(QUIET_MS);
        }
    }

    /** Offers directories to dry mirrors, none of which has a parent that was offered. */
    public void offerTops(int sessions, int count) throws InterruptedException {
        for (int i = 0; i < sessions; i++) {
            HostileClient.Opened open = client.open(HostileClient.dry(HostileClient.mirroringPush("/")));
            links.add(open.link());
            open.link().send(new TransferMessage.SourceShape(false));
            String below = ("/" + "d".repeat(250)).repeat(15);
            for (int sent = 0; sent < count && !open.link().isClosed(); sent += PAGE_ENTRIES) {
                int first = sent;
                open.link()
                        .send(new TransferMessage.ManifestPage(
                                first,
                                IntStream.range(first, first + PAGE_ENTRIES)
                                        .mapToObj(each -> Frames.directory("top" + each + below))
                                        .toList()));
                open.link().next(TransferMessage.Verdicts.class);
            }
        }
    }

    /** Makes dry mirrors remember paths: in one session after the other, this many messages of them. */
    public void leaveOut(List<Integer> messages) throws InterruptedException {
        for (int count : messages) {
            RawLink link = client.authenticated();
            links.add(link);
            link.send(HostileClient.dry(HostileClient.mirroringPush("/")));
            if (link.next(SessionMessage.Opened.class) == null) {
                continue;
            }
            link.send(new TransferMessage.SourceShape(false));
            for (int sent = 0; sent < count; sent++) {
                int first = sent * LEFT_OUT;
                link.send(new TransferMessage.LeftOut(IntStream.range(first, first + LEFT_OUT)
                        .mapToObj(each -> RawPath.ofText(Integer.toString(each, 36)))
                        .toList()));
            }
            link.send(new TransferMessage.ManifestPage(0, List.of(Frames.directory("last"))));
            link.next(TransferMessage.Verdicts.class);
        }
    }

    /** Offers files that exist, to be compared, each with large attributes, and then reports that they failed. */
    public void compareAndFail(List<String> names, int pages) throws InterruptedException {
        HostileClient.Opened open = open(HostileClient.comparingPush("/"));
        FileEntry.Attribute large = new FileEntry.Attribute(RawPath.ofText("user.x"), new byte[60_000]);
        List<FileEntry> page = names.stream()
                .map(name -> Entries.file(name, 5, new EntryMetadata(0644, 1, 2, 3, 4, List.of(large))))
                .toList();
        for (int sent = 0; sent < pages; sent++) {
            int first = sent * page.size();
            open.link().send(new TransferMessage.ManifestPage(first, page));
            required(open);
            for (int i = 0; i < page.size(); i++) {
                open.link()
                        .send(new TransferMessage.SourceFailed(
                                first + i, page.get(i).path(), Failure.of(Cause.SOURCE, "failed")));
            }
        }
    }

    /** Sends one chunk of each of many files; returns when the server acknowledges no more. */
    public void keepFilesOpen(String directory, int count) throws InterruptedException {
        HostileClient.Opened open = open(HostileClient.durablePush(directory));
        RawLane lane = client.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), false);
        lanes.add(lane);
        for (int from = 0; from < count; from += PAGE_ENTRIES) {
            open.link().send(new TransferMessage.ManifestPage(from, partials(from, from + PAGE_ENTRIES)));
            required(open);
        }
        for (int i = 0; i < count; i++) {
            lane.send(Frames.holes(open.session().sessionId(), i, 0, CHUNK_BYTES));
        }
        int durable = 0;
        ControlMessage next = open.link().poll(QUIET_MS);
        while (next != null && durable < count) {
            durable += next instanceof TransferMessage.Acknowledged some ? some.fileIds().length : 0;
            next = open.link().poll(QUIET_MS);
        }
    }

    /**
     * Receives an empty directory in each session, reports this many failures with the longest paths and reasons that
     * there are, of characters that are escaped, and leaves.
     */
    public void failWithLongTexts(String directory, int sessions, int count) throws InterruptedException {
        // One character beyond Latin-1 doubles the rest.
        RawPath path = RawPath.ofText("\u3042" + "\u0001".repeat(Bounds.MAX_PATH_BYTES - 3));
        TransferMessage.Deletion failed = new TransferMessage.Deletion(
                path,
                false,
                Failure.of(Cause.TARGET, "\u0001".repeat(Failure.MAX_DETAIL_CHARS))
                        .at("\u0001".repeat(Failure.MAX_PATH_CHARS)));
        TransferMessage.Deleted some = new TransferMessage.Deleted(Collections.nCopies(FAILURES_AT_ONCE, failed));
        for (int i = 0; i < sessions; i++) {
            HostileClient.Opened open = client.open(HostileClient.pull(directory));
            links.add(open.link());
            TransferMessage.ManifestPage page =
                    HostileClient.required(open.link().next(TransferMessage.ManifestPage.class));
            open.link()
                    .send(new TransferMessage.Verdicts(
                            page.firstId(), page.entries().size(), List.of()));
            HostileClient.required(open.link().next(TransferMessage.Finish.class));
            for (int sent = 0; sent < count; sent += FAILURES_AT_ONCE) {
                open.link().send(some);
            }
        }
        links.forEach(link -> link.send(new SessionMessage.Leaving()));
        for (RawLink link : links) {
            // By the server, which has read everything before.
            link.awaitClose();
        }
    }

    /** Sends a stream that consists of this many chunks of zeros, each in a frame of a few bytes. */
    public void sendHolesOfAStream(String directory, int chunks) throws InterruptedException {
        HostileClient.Opened open = open(HostileClient.push(directory));
        open.link()
                .send(new TransferMessage.ManifestPage(
                        0, List.of(Entries.stream("stream", EntryMetadata.ofMode(0644)))));
        required(open);
        RawLane lane = client.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), false);
        lanes.add(lane);
        for (int i = 0; i < chunks; i++) {
            lane.send(Frames.holes(open.session().sessionId(), 0, (long) i * CHUNK_BYTES, CHUNK_BYTES));
        }
    }

    /**
     * Matches patterns against a directory of files whose names consist of the letter a, and one that ends in b: each
     * comparison takes as many steps as pattern and name allow.
     */
    public void matchPatterns(String directory, int count) throws InterruptedException {
        RawPath pattern = RawPath.ofText(directory + "/*" + "a*".repeat(100) + "b");
        RawLink link = client.authenticated();
        links.add(link);
        link.send(new TransferMessage.OpenTransfer(
                HostileClient.pull(directory).request().with(CopyValue.SOURCES, Collections.nCopies(count, pattern))));
    }

    /** Reports a host with another name and further cores whenever the server asks. */
    public void nameOtherCores(int reports, int cores) throws InterruptedException {
        HostileClient.Opened open = open(HostileClient.push("/"));
        for (int report = 0; report < reports; report++) {
            HostileClient.required(open.link().next(SessionMessage.AskHost.class));
            HostView.Shares busy = new HostView.Shares(0.5, 0, 0, 0, 0, 0, 0);
            open.link()
                    .send(new SessionMessage.HostReport(new HostView(
                            "host" + report,
                            IntStream.concat(
                                            IntStream.range(0, cores),
                                            IntStream.range(report * cores, (report + 1) * cores))
                                    .distinct()
                                    .mapToObj(core -> new HostView.Core(core, 0, busy))
                                    .toList(),
                            List.of())));
        }
    }

    /** Proves the key on many links, and opens no session on any; returns when the server takes no more. */
    public void authenticate(int count) throws InterruptedException {
        try {
            for (int i = 0; i < count; i++) {
                RawLink link = client.authenticated();
                links.add(link);
                link.send(new TransferMessage.SourceNames(List.of(RawPath.ofText("n"))));
            }
        } catch (TransferException | AssertionError full) {
            // As many as there are.
            links.removeIf(RawLink::isClosed);
        }
    }

    /** Opens a network test after the other that copies what it receives, with blocks of these sizes. */
    public void openNetworkTests(List<Integer> blockBytes) throws InterruptedException {
        for (int bytes : blockBytes) {
            RawLink link = client.authenticated();
            links.add(link);
            link.send(Plans.throughput(
                            new NettestPath("server", 1, false, List.of(), 600_000),
                            1,
                            NettestPlan.Direction.OUT,
                            600_000,
                            bytes,
                            NettestPlan.Receive.COPY)
                    .request());
            SessionMessage.Opened opened = link.next(SessionMessage.Opened.class);
            if (opened != null) {
                lanes.add(client.lane(opened, 0, 0, HostileClient.proof(opened, 0, 0), false));
                link.next(NettestMessage.NettestReady.class);
            }
        }
    }

    @Override
    public void close() {
        lanes.forEach(RawLane::close);
        links.forEach(RawLink::close);
        client.close();
    }
}
