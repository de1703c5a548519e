package io.fdt.core.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.HashKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.transport.Await;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ChunkHeader;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.FileMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.VerifyMessage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Work of an honest client, and between its steps random sequences of valid messages of another one, on the same
 * server. The other one never completes a file of the honest one, and removes and moves only what is its own, because
 * with that right it may. Not thread-safe.
 */
public final class OtherKeys implements AutoCloseable {
    private static final int LEAF = TreeDigest.LEAF_BYTES;
    private static final int LONG_MS = 600_000;
    private static final int MOST_ACTS = 4;
    private static final int MOST_SESSIONS = 6;
    private static final int LARGE_LEAVES = 3;
    /** The shortest range of a shard. */
    private static final int RANGE_BYTES = 8 << 20;

    private static final int CHUNK_TRAILER_BYTES = Integer.BYTES + DigestKind.XXH3_128.lengthBytes() + Integer.BYTES;

    private final Path root;
    private final HostileClient honest;
    private final HostileClient other;

    /** What the honest client does. */
    public enum Work {
        PUSH,
        PULL,
        VERIFY,
        OPERATIONS
    }

    /** Takes over the clients. */
    OtherKeys(Path root, HostileClient honest, HostileClient other) {
        this.root = root;
        this.honest = honest;
        this.other = other;
    }

    /**
     * For two keys that name accounts.
     *
     * @param root that the server exports, as it is {@linkplain #makeFiles made}
     * @param honestLine of its key, as {@code fdt key create} prints it
     */
    public static OtherKeys ofAccounts(InetSocketAddress server, Path root, String honestLine, String otherLine)
            throws InterruptedException {
        OtherKeys made = new OtherKeys(
                root,
                new HostileClient(server, ServerAccess.parse(honestLine)),
                new HostileClient(server, ServerAccess.parse(otherLine)));
        made.honest.goToAccount();
        made.other.goToAccount();
        return made;
    }

    /** Makes what the clients work with in the root. */
    public static void makeFiles(Path root) throws IOException {
        Files.createDirectories(root.resolve("own"));
        Files.createDirectories(root.resolve("data/below"));
        Files.write(root.resolve("data/large"), new byte[LARGE_LEAVES * LEAF]);
        Files.writeString(root.resolve("data/below/small"), "hello");
    }

    /**
     * Does the work once; fails if what the other client does changes its end.
     *
     * @param writes whether the other one may begin files that exist
     */
    public void run(Work work, long seed, boolean writes) {
        Other beside = new Other(other, new Random(seed), writes);
        try {
            run(work, beside);
        } catch (Exception | AssertionError failure) {
            throw new AssertionError("seed " + seed + ": " + beside.acts, failure);
        } finally {
            beside.leave();
        }
    }

    @Override
    public void close() {
        honest.close();
        other.close();
    }

    private void run(Work work, Other beside) throws Exception {
        beside.act();
        switch (work) {
            case PUSH -> push(beside);
            case PULL -> pull(beside);
            case VERIFY -> verify(beside);
            default -> operate(beside);
        }
    }

    // ---- The honest client.

    private void push(Other beside) throws Exception {
        for (String name : List.of("first", "second", "third")) {
            Files.deleteIfExists(root.resolve(name));
        }
        HeldFilesTest.Push copy = new HeldFilesTest.Push(honest);
        beside.act();
        // Whatever the other has begun of it, it has less of it and leaves, or gives it up.
        copy.offer(Frames.file("first", LARGE_LEAVES * LEAF));
        copy.leaves(0, 0, 0, LARGE_LEAVES - 1);
        beside.act();
        copy.offer(Frames.file("second", 2 * LEAF));
        beside.act();
        copy.leaves(1, 1, 0, 2);
        beside.act();
        copy.leaves(0, 0, LARGE_LEAVES - 1, LARGE_LEAVES);
        beside.act();
        beside.leave();
        copy.awaitDone(Set.of(0, 1));
        copy.open.link().send(new TransferMessage.Finish(0, 0, "", 0));
        TransferMessage.Finished end = answer(copy.open.link(), TransferMessage.Finished.class);
        assertThat(end.files()).isEqualTo(2);
        assertThat(end.filesFailed()).isZero();
        copy.leave();
        assertThat(root.resolve("first")).hasSize(LARGE_LEAVES * LEAF);
        assertThat(root.resolve("second")).hasSize(2 * LEAF);
    }

    private record ChunkOfFile(int id, long offset, int lengthBytes) {}

    private void pull(Other beside) throws Exception {
        // However much a lane claims at a time, it is one leaf.
        HostileClient.Opened open = honest.open(new TransferMessage.OpenTransfer(
                HostileClient.pull("/data/").request().with(CopyValue.CHUNK_BYTES, LEAF)));
        beside.act();
        List<FileEntry> entries = new ArrayList<>();
        while (entries.size() < 4) {
            TransferMessage.ManifestPage page = answer(open.link(), TransferMessage.ManifestPage.class);
            entries.addAll(page.entries());
            open.link()
                    .send(new TransferMessage.Verdicts(
                            page.firstId(), page.entries().size(), List.of()));
            beside.act();
        }
        RawLane lane = honest.lane(open.session(), 0, 0, HostileClient.proof(open.session(), 0, 0), false);
        beside.act();
        List<FileEntry> files =
                entries.stream().filter(entry -> entry.dataBytes() > 0).toList();
        assertThat(files).hasSize(2);
        List<ChunkOfFile> chunks = files.stream()
                .flatMap(file -> LongStream.iterate(0, offset -> offset < file.sizeBytes(), offset -> offset + LEAF)
                        .mapToObj(offset -> new ChunkOfFile(
                                entries.indexOf(file), offset, (int) Math.min(LEAF, file.sizeBytes() - offset))))
                .toList();
        long expected = chunks.stream()
                .mapToLong(chunk -> ChunkHeader.LENGTH_BYTES + chunk.lengthBytes + CHUNK_TRAILER_BYTES)
                .sum();
        Await.until("all data has come", () -> lane.received().length >= expected || lane.isClosed());
        assertThat(lane.received()).hasSize((int) expected);
        beside.act();
        int[] ids = files.stream().mapToInt(entries::indexOf).toArray();
        open.link()
                .send(new TransferMessage.Acknowledged(
                        chunks.stream().mapToInt(ChunkOfFile::id).toArray(),
                        chunks.stream().mapToLong(ChunkOfFile::offset).toArray(),
                        chunks.stream().mapToInt(ChunkOfFile::lengthBytes).toArray()));
        open.link().send(new TransferMessage.FilesDone(ids, new byte[ids.length * DigestKind.XXH3_128.lengthBytes()]));
        answer(open.link(), TransferMessage.Finish.class);
        beside.act();
        open.link().send(new TransferMessage.Finished(2, expected, 0, 0, 0, null, "", 0, false));
        open.link().leave();
    }

    private void verify(Other beside) throws Exception {
        RawLink link = honest.open(new VerifyMessage.OpenVerify(
                        RawPath.ofText("/data/"), FileHash.MD5, false, false, false, 2, LONG_MS))
                .link();
        beside.act();
        List<CheckedEntry> found = new ArrayList<>();
        while (answer(link, VerifyMessage.class) instanceof VerifyMessage.VerifyPage page) {
            found.addAll(page.entries());
            beside.act();
            link.send(new VerifyMessage.VerifyMore(1));
        }
        beside.act();
        link.leave();
        assertThat(found)
                .hasSize(4)
                .allSatisfy(each -> assertThat(each.failure()).isNull());
        assertThat(found.stream().filter(each -> each.digest().length == 16)).hasSize(2);
    }

    private void operate(Other beside) throws Exception {
        RawLink link = honest.open(new FileMessage.OpenFiles(LONG_MS, null)).link();
        int id = 0;
        for (FileOperation each : List.of(
                operation(Action.MAKE_DIRECTORY, "/made/below"),
                operation(Action.STAT, "/made/below", "/data/large"),
                operation(Action.SUM, "/data/large", "/data/below/small"),
                operation(Action.LIST, "/data"),
                operation(Action.SPACE, "/"),
                operation(Action.MOVE, "/made/below", "/made/moved"),
                operation(Action.REMOVE, "/made"))) {
            beside.act();
            link.send(new FileMessage.Operate(++id, each));
            beside.act();
            ControlMessage next = answer(link, FileMessage.class);
            while (!(next instanceof FileMessage.Ended)) {
                if (next instanceof FileMessage.Found found) {
                    assertThat(found.entries())
                            .allSatisfy(entry -> assertThat(entry.failure()).isNull());
                }
                next = answer(link, FileMessage.class);
            }
            assertThat(((FileMessage.Ended) next).failure()).as("%s", each).isNull();
        }
        link.leave();
    }

    private static FileOperation operation(Action action, String... paths) {
        HashKind hash = action == Action.SUM ? FileHash.MD5 : DigestKind.NONE;
        return new FileOperation(action, Stream.of(paths).map(RawPath::ofText).toList(), true, hash);
    }

    /** The next message of this type; others of the session are none of its ends. */
    private static <M extends ControlMessage> M answer(RawLink link, Class<M> type) throws InterruptedException {
        ControlMessage next;
        do {
            next = HostileClient.required(link.next(ControlMessage.class));
            assertThat(next)
                    .isNotInstanceOfAny(
                            SessionMessage.Failed.class,
                            TransferMessage.SourceFailed.class,
                            TransferMessage.FileFailed.class);
        } while (!type.isInstance(next));
        return type.cast(next);
    }

    // ---- The other client.

    /** Acts at random, as its key permits: whatever it may not do, the server refuses. */
    private static final class Other {
        private static final List<String> PLACES = List.of("/", "/data/", "/own/", "/none");
        private static final List<String> NAMES = List.of("first", "second", "third");

        final List<String> acts = new ArrayList<>();
        private final HostileClient client;
        private final Random random;
        /** It may begin files that exist. */
        private final boolean writes;

        private final List<HeldFilesTest.Push> pushes = new ArrayList<>();
        private final List<HostileClient.Opened> sessions = new ArrayList<>();
        private final List<HostileClient> bearers = new ArrayList<>();
        private int operations;

        Other(HostileClient client, Random random, boolean writes) {
            this.client = client;
            this.random = random;
            this.writes = writes;
        }

        void act() throws InterruptedException {
            for (int left = random.nextInt(MOST_ACTS); left > 0; left--) {
                try {
                    actOnce();
                } catch (TransferException | AssertionError refused) {
                    // The server may have ended the session, and may refuse one that this key does not permit.
                    acts.add("refused");
                }
            }
        }

        private <T> T one(List<T> all) {
            return all.get(random.nextInt(all.size()));
        }

        private void actOnce() throws InterruptedException {
            boolean full = sessions.size() + pushes.size() >= MOST_SESSIONS;
            int kind = random.nextInt(10);
            if (kind < 3 && !full) {
                open();
            } else if (kind < 6 && !pushes.isEmpty()) {
                push(one(pushes));
            } else if (!sessions.isEmpty()) {
                send(one(sessions));
            }
        }

        private void open() throws InterruptedException {
            String place = one(PLACES);
            int kind = random.nextInt(9);
            acts.add("open " + kind + " " + place);
            if (kind == 8) {
                RawLink unused = client.authenticated();
                unused.send(new TransferMessage.SourceNames(List.of(RawPath.ofText("n"))));
                unused.close();
                return;
            }
            if (kind < 2) {
                pushes.add(new HeldFilesTest.Push(client, kind == 0 ? HostileClient.push("/") : ownMirror()));
                return;
            }
            if (kind == 5) {
                lend();
                return;
            }
            HostileClient.Opened open = client.open(
                    switch (kind) {
                        case 2 -> HostileClient.pull(place);
                        case 3 ->
                            new VerifyMessage.OpenVerify(
                                    RawPath.ofText(place),
                                    FileHash.SHA256,
                                    false,
                                    random.nextBoolean(),
                                    false,
                                    2,
                                    LONG_MS);
                        case 4 ->
                            new VerifyMessage.OpenList(
                                    RawPath.ofText(place), random.nextBoolean(), random.nextBoolean(), LONG_MS, null);
                        case 6 -> new ThirdPartyMessage.OpenJobs(LONG_MS, JobsPlan.Action.LIST, "", false);
                        default -> new FileMessage.OpenFiles(LONG_MS, null);
                    });
            sessions.add(open);
        }

        /** Has a key lent, and pushes with it. */
        private void lend() throws InterruptedException {
            ControlMessage request = HostileClient.push("/");
            HostileClient.Opened lender = client.open(new ThirdPartyMessage.OpenDelegation(
                    HostileClient.push("/").request(), ThirdPartyMessage.ATTACHED));
            sessions.add(lender);
            ThirdPartyMessage.Delegated lent =
                    HostileClient.required(lender.link().next(ThirdPartyMessage.Delegated.class));
            HostileClient bearer = client.with(lent);
            bearers.add(bearer);
            pushes.add(new HeldFilesTest.Push(bearer, request));
        }

        private static ControlMessage ownMirror() {
            return HostileClient.mirroringPush("/own/");
        }

        private void push(HeldFilesTest.Push push) throws InterruptedException {
            acts.add("push");
            if (random.nextInt(8) == 0) {
                push.leave();
                pushes.remove(push);
            } else if (push.entries.isEmpty() || random.nextInt(3) == 0) {
                List<String> rest = new ArrayList<>(NAMES);
                push.entries.forEach(entry -> rest.remove(entry.path().toString()));
                if (!rest.isEmpty()) {
                    FileEntry file = Frames.file(one(rest), 2 * RANGE_BYTES);
                    push.offer(
                            random.nextInt(4) == 0
                                    ? file.ranged(new FileRange(RANGE_BYTES, 2 * RANGE_BYTES, RANGE_BYTES))
                                    : Frames.file(file.path().toString(), 2 * LEAF));
                }
            } else if (writes || random.nextBoolean()) {
                push.leaves(random.nextInt(2), random.nextInt(push.entries.size()), 0, 1);
            }
        }

        private void send(HostileClient.Opened session) throws InterruptedException {
            int kind = random.nextInt(8);
            acts.add("send " + kind);
            RawLink link = session.link();
            switch (kind) {
                case 0 -> {
                    link.leave();
                    sessions.remove(session);
                }
                case 1 -> {
                    link.abort(Cause.CONNECTION_LOST.failure("cut"));
                    sessions.remove(session);
                    RawLink again = client.reattach(session.session(), 0);
                    if (again.next(SessionMessage.Reattached.class) != null) {
                        sessions.add(new HostileClient.Opened(again, session.session()));
                    }
                }
                case 2 -> link.send(new SessionMessage.Heartbeat(0));
                case 3 -> link.send(new SessionMessage.AskHost());
                case 4 -> client.lane(session.session(), 0, 0, HostileClient.proof(session.session(), 0, 0), false);
                case 5 -> {
                    link.send(new SessionMessage.Failed(Failure.of(Cause.INTERRUPTED, "enough")));
                    link.leave();
                    sessions.remove(session);
                }
                default -> link.send(ofService());
            }
        }

        /** A message of some service: if it is not that of the session, the session ends. */
        private ControlMessage ofService() {
            return switch (random.nextInt(8)) {
                case 0 -> new VerifyMessage.VerifyMore(1 + random.nextInt(Bounds.MAX_VERIFY_PAGES));
                case 1 ->
                    new VerifyMessage.VerifyNames(
                            List.of(new VerifyMessage.VerifyName(RawPath.ofText(one(NAMES)), false, false)));
                case 2 -> new TransferMessage.Verdicts(0, 1, List.of());
                case 3 -> new FileMessage.Stop(1 + random.nextInt(3));
                case 4 -> operate(operation(Action.SUM, "/first", "/data/large"));
                case 5 -> operate(operation(Action.LIST, one(PLACES)));
                case 6 -> operate(operation(Action.MAKE_DIRECTORY, "/own/d" + random.nextInt(3)));
                default ->
                    operate(
                            random.nextBoolean()
                                    ? operation(Action.REMOVE, "/own/d" + random.nextInt(3))
                                    : operation(Action.MOVE, "/own/d0", "/own/d1"));
            };
        }

        private FileMessage.Operate operate(FileOperation operation) {
            return new FileMessage.Operate(++operations, operation);
        }

        void leave() {
            pushes.forEach(HeldFilesTest.Push::leave);
            pushes.clear();
            sessions.forEach(each -> each.link().leave());
            sessions.clear();
            bearers.forEach(HostileClient::close);
            bearers.clear();
        }
    }
}
