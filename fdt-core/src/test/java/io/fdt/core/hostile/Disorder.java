package io.fdt.core.hostile;

import io.fdt.core.TestServer;
import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.fuzz.CborMutator;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.FileMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.TransferMessage.Verdict;
import io.fdt.core.wire.TransferMessage.VerdictKind;
import io.fdt.core.wire.VerifyMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A generator of messages and frames that are each valid, but mostly wrong where they are sent: too early, twice, or
 * about entries that were never offered. The results depend only on the random generator.
 */
final class Disorder {
    private static final int LEAF = TreeDigest.LEAF_BYTES;
    private static final int[] IDS = {0, 0, 1, 1, 2, 3, 4, 77, Integer.MAX_VALUE - 1024, Integer.MAX_VALUE};
    private static final long[] SIZES = {0, 1, 5, 10, LEAF - 1, LEAF, LEAF + 1, 3L * LEAF, 1 << 20, 5L << 30};
    private static final long[] OFFSETS = {0, 0, 0, LEAF, 2L * LEAF, 3L * LEAF, 1 << 20, 5L << 40, Long.MAX_VALUE};
    private static final String[] NAMES = {
        "f", "f", "g", "d", "d/f", "d/d/f", "l", "l/f", "..", "../x", "/x", "a//b", "", "out/x", "zero"
    };

    private static final List<Cause> EXPECTED = Stream.of(Cause.values())
            .filter(cause -> cause.kind() != FailureKind.INTERNAL)
            .toList();
    private static final List<FileEntry.Kind> KINDS = List.of(FileEntry.Kind.values());
    private static final List<VerdictKind> VERDICTS = List.of(VerdictKind.values());

    private final SplittableRandom random;
    private int nextEntry;

    Disorder(SplittableRandom random) {
        this.random = random;
    }

    int upTo(int bound) {
        return random.nextInt(bound);
    }

    boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private int id() {
        return IDS[random.nextInt(IDS.length)];
    }

    private long size() {
        return once(16) ? Long.MAX_VALUE : SIZES[random.nextInt(SIZES.length)];
    }

    private long offset() {
        return OFFSETS[random.nextInt(OFFSETS.length)];
    }

    /** Only expected failures: a peer that reports an internal error would look like a bug of the end under test. */
    private Failure failure(String detail) {
        return Failure.of(one(EXPECTED), detail);
    }

    ControlMessage ofSender() {
        return switch (random.nextInt(14)) {
            case 0 -> new TransferMessage.SourceShape(random.nextBoolean());
            case 1, 2, 3, 4, 5 -> page();
            case 6, 7, 8 -> new TransferMessage.StreamEnded(id(), size());
            case 9 -> new TransferMessage.SourceFailed(once(3) ? -1 : id(), name(), Failure.of(one(EXPECTED), "gone"));
            case 10 -> new TransferMessage.Finish(size(), size(), "network", random.nextInt(101));
            case 11 -> anything();
            default -> ofReceiver();
        };
    }

    TransferMessage.ManifestPage page() {
        List<FileEntry> entries = new ArrayList<>();
        int first = once(10) ? id() : nextEntry;
        for (int count = random.nextInt(5); count > 0; count--) {
            entries.add(entry());
        }
        if (first > Integer.MAX_VALUE - entries.size()) {
            entries.clear();
        }
        nextEntry = first == nextEntry ? nextEntry + entries.size() : nextEntry;
        return new TransferMessage.ManifestPage(first, entries);
    }

    private RawPath name() {
        return RawPath.ofText(NAMES[random.nextInt(NAMES.length)]);
    }

    private FileEntry entry() {
        FileEntry.Kind kind = one(KINDS);
        long size = switch (kind) {
            case FILE -> size();
            case STREAM -> random.nextBoolean() ? FileEntry.UNKNOWN_SIZE : size();
            case DIRECTORY, LINK -> once(4) ? size() : 0;
        };
        return new FileEntry(
                name(),
                kind,
                size,
                new EntryMetadata(
                        random.nextInt(010000),
                        once(4) ? random.nextLong() : 1_700_000_000L,
                        random.nextInt(1_000_000_000),
                        random.nextInt(3) - 1,
                        0,
                        List.of()),
                random.nextBoolean(),
                kind == FileEntry.Kind.LINK ? RawPath.ofText(once(2) ? "../.." : "f") : null);
    }

    ControlMessage ofReceiver() {
        return switch (random.nextInt(16)) {
            case 0, 1, 2, 3, 4 -> verdicts();
            case 5, 6 ->
                new TransferMessage.Acknowledged(
                        new int[] {id(), id()},
                        new long[] {offset(), offset()},
                        once(2) ? new int[0] : new int[] {random.nextInt(1 << 24), random.nextInt()});
            case 7, 8 -> new TransferMessage.SendAgain(id(), offset(), random.nextInt(4));
            case 9 ->
                once(2)
                        ? new TransferMessage.LanesBusy(new int[] {id()})
                        : new TransferMessage.RetireLanes(new int[] {id(), random.nextInt(2)});
            case 10, 11 -> {
                int count = random.nextInt(3);
                int[] ids = new int[count];
                for (int i = 0; i < count; i++) {
                    ids[i] = id();
                }
                yield new TransferMessage.FilesDone(ids, new byte[16 * count + (once(8) ? 1 : 0)]);
            }
            case 12 -> new TransferMessage.FileFailed(id(), failure("full"));
            case 13 ->
                new TransferMessage.Finished(size(), size(), size(), size(), size(), "x", "target-disk", 3, false);
            default -> anything();
        };
    }

    private TransferMessage.Verdicts verdicts() {
        List<Verdict> exceptions = new ArrayList<>();
        int first = once(4) ? id() : 0;
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            if (random.nextBoolean()) {
                int id = once(8) ? id() : first + i;
                VerdictKind kind = one(VERDICTS);
                exceptions.add(new Verdict(Math.max(0, id), kind, ranges(), once(3) ? null : failure("because")));
            }
        }
        return new TransferMessage.Verdicts(first, once(8) ? random.nextInt(1025) : count, exceptions);
    }

    private List<Range> ranges() {
        List<Range> ranges = new ArrayList<>();
        long offset = 0;
        for (int i = random.nextInt(3); i > 0; i--) {
            long length = 1L + random.nextInt(2 * LEAF);
            ranges.add(new Range(offset, length));
            offset += (1L + length / LEAF) * LEAF;
        }
        return ranges;
    }

    ControlMessage ofVerifier() {
        return switch (random.nextInt(6)) {
            case 0, 1 ->
                new VerifyMessage.VerifyNames(List.of(
                        new VerifyMessage.VerifyName(name(), random.nextBoolean(), random.nextBoolean()),
                        new VerifyMessage.VerifyName(name(), random.nextBoolean(), random.nextBoolean())));
            case 2, 3 -> new VerifyMessage.VerifyMore(1 + random.nextInt(8));
            case 4 -> new VerifyMessage.VerifyEnd();
            default -> anything();
        };
    }

    ControlMessage ofOperator() {
        return switch (random.nextInt(8)) {
            case 0, 1, 2, 3 -> operate(1 + random.nextInt(12));
            case 4, 5 -> new FileMessage.More(1 + random.nextInt(12), 1 + random.nextInt(8));
            case 6 -> new FileMessage.Stop(1 + random.nextInt(12));
            default -> anything();
        };
    }

    FileMessage.Operate operate(int id) {
        FileOperation.Action[] actions = FileOperation.Action.values();
        FileOperation.Action action = actions[random.nextInt(actions.length)];
        boolean two = action.takes(2) && (once(2) || !action.takes(1));
        return new FileMessage.Operate(
                id,
                new FileOperation(
                        action,
                        two ? List.of(name(), name()) : List.of(name()),
                        random.nextBoolean(),
                        once(2) ? DigestKind.XXH3_128 : FileHash.MD5));
    }

    private ControlMessage anything() {
        return switch (random.nextInt(17)) {
            case 0 -> new SessionMessage.Warning("hm");
            case 1 -> new SessionMessage.Failed(failure("no"));
            case 2 -> new SessionMessage.Heartbeat(once(2) ? random.nextInt(8) : size());
            case 3 -> new SessionMessage.Opened(new byte[16], new byte[32], 2, false, 0, Checksums.NONE);
            case 4 -> new SessionMessage.Challenge("x", new byte[32]);
            case 5 -> new SessionMessage.Reattached(random.nextInt(5));
            case 6 -> new SessionMessage.Reattach(new byte[16], new byte[32], 0);
            case 7 -> new TransferMessage.SourceNames(List.of(name()));
            case 8 -> new VerifyMessage.VerifyEnd();
            case 9 -> new VerifyMessage.VerifyMore(3);
            case 10 -> HostileClient.push("/again");
            case 11 ->
                once(2) ? new SessionMessage.AskHost() : new SessionMessage.StageReport(once(2) ? "idle" : "x", 7);
            case 12 -> new SessionMessage.HostReport(TestServer.HOST);
            case 13 -> new ThirdPartyMessage.Delegated("0123456789abcdef", new byte[32], new byte[32]);
            case 14 -> new ThirdPartyMessage.ThirdPartyFilesHeard(1);
            case 15 ->
                new ThirdPartyMessage.ThirdPartyEnded(new Summary(
                        null,
                        new Summary.Files(1, 0, 0, 0, List.of()),
                        Summary.Bytes.of(2, new Moved(3, 3, 3, 3, 3)),
                        new Summary.Run("s", 1, 0, 0, "none"),
                        null,
                        null));
            default -> page();
        };
    }

    /**
     * Encodes the message and damages it occasionally; returns null where the damage makes it report a bug of the peer.
     */
    byte @Nullable [] encoded(ControlMessage message) {
        byte[] bytes = ControlCodec.encode(message);
        if (!once(24)) {
            return bytes;
        }
        byte[] damaged = CborMutator.mutate(bytes, ControlCodec.encode(anything()), random);
        try {
            return damaged.length > 1 << 20 || tellsOfABug(ControlCodec.decode(damaged, "peer")) ? null : damaged;
        } catch (TransferException malformed) {
            return damaged;
        }
    }

    private static boolean tellsOfABug(ControlMessage message) {
        if (message instanceof SessionMessage.Failed failed) {
            return isBug(failed.why());
        }
        if (message instanceof TransferMessage.FileFailed failed) {
            return isBug(failed.why());
        }
        if (message instanceof TransferMessage.SourceFailed failed) {
            return isBug(failed.why());
        }
        return message instanceof TransferMessage.Verdicts verdicts
                && verdicts.exceptions().stream().anyMatch(verdict -> isBug(verdict.why()));
    }

    private static boolean isBug(@Nullable Failure why) {
        return why != null && why.kind() == FailureKind.INTERNAL;
    }

    /** Returns bytes for a lane: a valid frame, a damaged one, half of one, or noise. */
    byte[] frame(byte[] sessionId) {
        byte[] frame = switch (random.nextInt(8)) {
            case 0, 1, 2, 3 -> Frames.chunk(sessionId, id(), fileOffset(), new byte[length()]);
            case 4, 5 -> Frames.holes(sessionId, id(), fileOffset(), holeLength());
            case 6 -> Frames.digestOnly(sessionId, id(), fileOffset(), length());
            default -> {
                byte[] noise = new byte[1 + random.nextInt(200)];
                random.nextBytes(noise);
                yield noise;
            }
        };
        if (once(16)) {
            int at = random.nextInt(frame.length);
            frame[at] = (byte) (frame[at] ^ 1 << random.nextInt(8));
        }
        return frame;
    }

    private long fileOffset() {
        return once(12) ? 5L << 40 : (long) random.nextInt(6) * LEAF;
    }

    private int length() {
        return once(3) ? LEAF : (int) SIZES[1 + random.nextInt(4)];
    }

    private int holeLength() {
        return once(3) ? length() : LEAF << random.nextInt(7);
    }
}
