package io.fdt.core.transfer.receiving;

import static io.fdt.core.transport.Schedules.require;

import io.fdt.core.control.SessionInSteps;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.LossyDisk;
import io.fdt.core.storage.target.TargetTree;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.LimitGate;
import io.fdt.core.transfer.RateLimit;
import io.fdt.core.transfer.SessionParts;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.sending.FakeSources;
import io.fdt.core.transfer.sending.Sender;
import io.fdt.core.transfer.sending.SendingSide;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LanePairs;
import io.fdt.core.transport.MemoryNetwork;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.TransferMessage.VerdictKind;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Sessions of one copy, one after the other, until everything is in place. A seed decides all that can happen: the
 * order of all steps of the sender, the receiver, the flusher and the lanes, when messages arrive, which lanes are cut
 * or change a bit, which calls of the disk fail, and when the receiver's process or its machine ends.
 */
final class SeededCopy {
    private static final int LEAF = TreeDigest.LEAF_BYTES;
    private static final int LANES = 3;
    private static final int SESSIONS_MAX = 12;
    private static final int STEPS_MAX = 100_000;
    private static final int CALLS_MAX = 60;
    private static final long TIMEOUT_MS = 30_000;
    private static final int[] ERRNOS = {Errno.EIO, Errno.ENOSPC, Errno.EDQUOT};
    private static final LossyDisk.Kind[] KINDS = LossyDisk.Kind.values();

    /** A file, and what the sender has been promised about it. */
    private static final class Item {
        final String name;
        final byte[] content;
        /** Its leaves that were acknowledged. */
        final BitSet acknowledged = new BitSet();
        /** Whether it has its final name; a power cut may still undo this. */
        boolean published;
        /** Whether the sender knows that it is in place. */
        boolean settled;
        /** Whether it alone failed in this session. */
        boolean failed;

        Item(String name, byte[] content) {
            this.name = name;
            this.content = content;
        }
    }

    private final Random random;
    private final Path place;
    private final LossyDisk disk;
    private final DirectIo directIo;
    private final Durability durability;
    private final int[] sizes;
    private final List<Item> items = new ArrayList<>();
    private final StringBuilder events = new StringBuilder();
    private int sessions;
    private boolean erred;

    SeededCopy(long seed, Path place) throws IOException {
        this.random = new Random(seed);
        this.place = place;
        Path attic = Files.createDirectory(place.resolve("attic"));
        Files.createDirectory(place.resolve("out"));
        disk = new LossyDisk(attic, new Random(seed + 1), random.nextBoolean() ? 512 : 4096);
        directIo = random.nextBoolean() ? DirectIo.ALWAYS : DirectIo.NEVER;
        durability = random.nextBoolean() ? Durability.END : Durability.CHUNK;
        sizes = random.ints(1 + random.nextInt(4), 1, 4 * LEAF).toArray();
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = random.nextBoolean() ? sizes[i] : 1 + sizes[i] % 5000;
        }
        sources();
    }

    /** New sources of the same files, for the next session. */
    private FakeSources sources() {
        FakeSources sources = new FakeSources();
        boolean first = items.isEmpty();
        for (int i = 0; i < sizes.length; i++) {
            byte[] content = sources.file("f" + i, sizes[i]).content();
            if (first) {
                items.add(new Item("f" + i, content));
            }
        }
        return sources;
    }

    /** Returns what happened, in words that a replay must repeat. */
    String run() throws IOException {
        try (disk) {
            boolean whole = false;
            while (!whole) {
                require(sessions < SESSIONS_MAX, "a copy without faults completes");
                whole = session(++sessions > SESSIONS_MAX / 2 || random.nextInt(6) == 0);
            }
        } catch (AssertionError broken) {
            throw new AssertionError(broken.getMessage() + "\n" + events, broken);
        }
        return events.toString();
    }

    /** Returns whether everything is in place. */
    private boolean session(boolean calm) throws IOException {
        disk.restart();
        items.forEach(item -> item.failed = false);
        boolean errors = !calm && random.nextInt(3) == 0;
        erred |= errors;
        if (errors) {
            disk.failAfter(
                    KINDS[random.nextInt(KINDS.length)], random.nextInt(6), ERRNOS[random.nextInt(ERRNOS.length)]);
            items.forEach(item -> item.acknowledged.clear());
        }
        if (!calm && random.nextInt(4) > 0) {
            disk.goAfter(random.nextInt(CALLS_MAX));
        }
        Session session = new Session(calm);
        TransferException failure = session.run();
        log("ends " + (failure == null ? "well" : failure.failure().cause()) + (errors ? " with errors" : ""));
        require(!calm || failure == null, "without faults nothing fails, but " + failure);
        disk.requireClosed();
        items.forEach(item -> item.settled |= failure == null && !item.failed);
        if (random.nextBoolean()) {
            disk.kill();
        } else {
            disk.cutPower();
            items.forEach(item -> item.published = item.settled);
        }
        if (errors) {
            // What was left may be unreadable, and is then discarded.
            items.forEach(item -> item.acknowledged.clear());
        }
        checkFinalNames();
        return items.stream().allMatch(item -> item.settled);
    }

    /** Looks at a call of a real object, and at what it returns. */
    @FunctionalInterface
    private interface Around {
        @Nullable Object call(String method, Object[] words, Callable<@Nullable Object> real) throws Exception;
    }

    private static <T> T noting(Class<T> type, T real, Around around) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, words) -> {
            try {
                return around.call(method.getName(), words, () -> method.invoke(real, words));
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        }));
    }

    private void log(String event) {
        events.append(event).append('\n');
    }

    private void checkFinalNames() throws IOException {
        for (Item item : items) {
            Path path = place.resolve("out").resolve(item.name);
            boolean there = Files.exists(path);
            require(there || !item.settled, path + " was in place");
            require(!there || Arrays.equals(Files.readAllBytes(path), item.content), path + " is whole");
        }
    }

    /** The sender and the receiver of one session. */
    private final class Session {
        private final boolean calm;
        private final MemoryNetwork network = MemoryNetwork.inSteps(random.nextLong());
        private final LanePairs pairs = new LanePairs(network, LEAF + 4096);
        private final SessionInSteps here = new SessionInSteps(network.clock(), LANES);
        private final SessionInSteps there = here.otherEnd();
        private final Queue<ControlMessage> toReceiver = new ArrayDeque<>();
        private final Queue<ControlMessage> toSender = new ArrayDeque<>();
        private final TreeSet<Integer> missingLanes = new TreeSet<>(List.of(0, 1, 2));
        private final List<Lane> lanes = new ArrayList<>();
        private final Sender sender;
        private final Receiver receiver;

        Session(boolean calm) {
            this.calm = calm;
            network.setWire(this::pass);
            TransferPlan request = SendingSide.request(DigestKind.XXH3_128, LEAF, 0, TIMEOUT_MS)
                    .with(CopyValue.EXISTING, Existing.SKIP_SAME)
                    .with(CopyValue.PRESERVE, EnumSet.of(Preserve.TIMES))
                    .with(CopyValue.DURABLE, durability)
                    .with(CopyValue.DIRECT_IO, directIo)
                    .with(CopyValue.LANES, LaneRange.fixed(LANES));
            SessionParts sending = parts(here, request);
            sending.lanes().whenLost(missingLanes::add);
            sender = new Sender(sending, sources());
            Root root = Root.confined(RawPath.ofText(place.toString()));
            receiver = new Receiver(
                    parts(there, request), new Targets(root, single -> tree(root, request), request, true, null, null));
            network.awaitSleepers(1);
        }

        private SessionParts parts(SessionInSteps steps, TransferPlan request) {
            return SessionParts.of(
                    steps.session(),
                    request,
                    new Ledger(new TransferFigures(), new TransferObserver() {}),
                    LimitGate.ofClient(TransferLimits.NONE),
                    new RateLimit(0, network.clock()),
                    SpreadWatch.NONE);
        }

        private Target tree(Root root, TransferPlan request) {
            TargetTree tree =
                    new TargetTree(disk, root, RawPath.ofText("out"), request, DigestKind.XXH3_128, LEAF, false);
            return noting(Target.class, tree, (method, words, real) -> {
                Object result = real.call();
                return result instanceof Outcome.Wanted wanted
                        ? new Outcome.Wanted(
                                file(itemOf((FileEntry) words[0]), wanted), wanted.durable(), wanted.dropped())
                        : result;
            });
        }

        private Item itemOf(FileEntry entry) {
            return items.stream()
                    .filter(item -> entry.path().equals(RawPath.ofText(item.name)))
                    .findFirst()
                    .orElseThrow();
        }

        private TargetFile file(Item item, Outcome.Wanted wanted) {
            return noting(TargetFile.class, wanted.file(), (method, words, real) -> {
                if (method.equals("publish")) {
                    // Before the call, because the process may end when the name is already given.
                    item.published = true;
                    item.acknowledged.clear();
                }
                return real.call();
            });
        }

        private void close(@Nullable TransferException failure) {
            network.letGo();
            sender.close(failure);
            try {
                receiver.close(failure);
            } catch (LossyDisk.Gone ended) {
                log("ends at its end");
            }
            pairs.close();
            here.close();
            there.close();
        }

        /** Faults of the network. */
        private int pass(int connection, boolean toServer, long offset, ByteBuffer data) {
            int length = data.remaining();
            if (!calm && random.nextInt(40) == 0) {
                log("cuts lane " + connection);
                return random.nextInt(length);
            }
            if (!calm && random.nextInt(60) == 0) {
                int at = data.position() + random.nextInt(length);
                data.put(at, (byte) (data.get(at) ^ 1));
            }
            return length;
        }

        /** Returns the failure with which it ended early. */
        @Nullable TransferException run() {
            TransferException failure = null;
            try {
                sender.begin();
                for (int step = 0; sender.finished() == null && !disk.isGone(); step++) {
                    require(step < STEPS_MAX, "the session gets on");
                    step();
                }
            } catch (TransferException | LossyDisk.Gone e) {
                failure = TransferException.of(e);
            }
            failure = disk.isGone() ? Cause.INTERRUPTED.failure("the receiver has ended") : failure;
            close(failure);
            return failure;
        }

        private void step() {
            switch (random.nextInt(16)) {
                case 0, 1 -> {
                    here.runPosted();
                    sender.work();
                    take(here, toReceiver);
                }
                case 2, 3 -> {
                    there.runPosted();
                    receiver.work();
                    take(there, toSender);
                }
                case 4, 5 -> {
                    if (!toReceiver.isEmpty()) {
                        receive(toReceiver.remove());
                    }
                }
                case 6, 7 -> {
                    if (!toSender.isEmpty()) {
                        sender.onMessage(toSender.remove());
                    }
                }
                case 8 -> openLane();
                case 9 -> rare();
                default -> network.step();
            }
        }

        private void receive(ControlMessage message) {
            if (message instanceof TransferMessage.Finish) {
                // The receiver waits for its flusher, which has nothing left to do.
                network.letGo();
            }
            receiver.onMessage(message);
        }

        private void rare() {
            int what = random.nextInt(40);
            if (what < 8) {
                network.pass(50);
                sender.onTick();
                receiver.onTick();
            } else if (what == 8) {
                int index = random.nextInt(LANES);
                log("retires lane " + index);
                toSender.add(new TransferMessage.RetireLanes(new int[] {index}));
            } else if (what == 9 && !calm && !lanes.isEmpty()) {
                log("loses a lane");
                lanes.remove(random.nextInt(lanes.size())).abort(Cause.CONNECTION_LOST.failure("cut"));
            }
        }

        private void openLane() {
            Integer index = missingLanes.pollFirst();
            if (index != null) {
                LanePairs.Pair lane = pairs.open();
                lane.far().start(receiver.onLane(index, 0, lane.far()));
                lane.near().start(sender.onLane(index, 0, lane.near()));
                lanes.add(lane.near());
                lanes.add(lane.far());
            }
        }

        private void take(SessionInSteps from, Queue<ControlMessage> to) {
            for (ControlMessage message : from.takeSent(ControlMessage.class)) {
                if (!(message instanceof SessionMessage.Counted)) {
                    to.add(message);
                    note(message);
                }
            }
        }

        private void note(ControlMessage message) {
            if (message instanceof TransferMessage.Verdicts verdicts) {
                requirePromises(verdicts);
            } else if (message instanceof TransferMessage.Acknowledged acknowledged) {
                for (int i = 0; i < acknowledged.fileIds().length; i++) {
                    Item item = items.get(acknowledged.fileIds()[i]);
                    int first = (int) (acknowledged.offsets()[i] / LEAF);
                    if (!item.published) {
                        item.acknowledged.set(first, first + (acknowledged.lengths()[i] + LEAF - 1) / LEAF);
                    }
                }
                log("acknowledges " + Arrays.toString(acknowledged.offsets()));
            } else if (message instanceof TransferMessage.FilesDone done) {
                for (int id : done.fileIds()) {
                    items.get(id).settled = true;
                }
                log("completes " + Arrays.toString(done.fileIds()));
            } else if (message instanceof TransferMessage.FileFailed failed) {
                fail(items.get(failed.fileId()));
            } else if (message instanceof TransferMessage.SourceFailed failed) {
                fail(items.get(failed.fileId()));
            }
        }

        private void fail(Item item) {
            require(!calm, "no file fails without faults");
            item.failed = true;
            item.acknowledged.clear();
        }

        /** What was acknowledged is not asked for again. */
        private void requirePromises(TransferMessage.Verdicts verdicts) {
            List<BitSet> asked = new ArrayList<>();
            for (Item item : items) {
                BitSet all = new BitSet();
                all.set(0, (item.content.length + LEAF - 1) / LEAF);
                asked.add(all);
            }
            for (TransferMessage.Verdict verdict : verdicts.exceptions()) {
                for (int id = verdict.fileId(); id < verdict.fileId() + verdict.count(); id++) {
                    asked.get(id).clear();
                    if (verdict.kind() == VerdictKind.FAILED) {
                        fail(items.get(id));
                    }
                    for (Range range : verdict.kind() == VerdictKind.PART ? verdict.missing() : List.<Range>of()) {
                        asked.get(id).set((int) (range.offset() / LEAF), (int) ((range.end() + LEAF - 1) / LEAF));
                    }
                }
            }
            for (int id = verdicts.firstId(); id < verdicts.firstId() + verdicts.count(); id++) {
                Item item = items.get(id);
                require(
                        !asked.get(id).intersects(item.acknowledged),
                        "acknowledged data of " + item.name + " is there");
                // After a failure, a file that may not have been flushed is copied again.
                require(asked.get(id).isEmpty() || !item.settled || erred, item.name + " is not copied again");
            }
        }
    }
}
