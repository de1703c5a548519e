package io.fdt.core.transfer.sending;

import static io.fdt.core.transfer.sending.SendingSide.CHUNK;
import static io.fdt.core.transfer.sending.SendingSide.LEAF;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.transfer.sending.SendingSide.Chunk;
import io.fdt.core.transfer.sending.SendingSide.RemoteServer;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Connection;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.ChunkTrailer.Status;
import io.fdt.core.wire.TransferMessage;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A sending lane from claim to trailer, and the ways in which it ends. */
final class SenderLaneTest {
    private SendingSide side = new SendingSide();

    @AfterEach
    void close() {
        side.close();
        assertThat(side.sources.open()).as("files left open").isZero();
    }

    private void instead(SendingSide other) {
        side.close();
        side = other;
    }

    @Test
    void packsSmallFilesIntoOneBlock() {
        for (int size = 1; size <= 40; size++) {
            side.sources.file("f" + size, size);
        }
        RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        List<Chunk> chunks = end.takeChunks();
        assertThat(chunks).hasSize(40).allMatch(Chunk::isSound);
        assertThat(chunks).allSatisfy(chunk -> assertThat(chunk.bytes()).hasSize(chunk.fileId() + 1));
        assertThat(side.sources.open())
                .as("a file of one chunk is closed when it was read")
                .isZero();
    }

    @Test
    void chunksContainTheBytesOfTheFile() {
        FakeSources.FakeFile file = side.sources.file("f", CHUNK + LEAF + 1);
        RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        for (Chunk chunk : end.takeChunks()) {
            assertThat(chunk.isSound()).isTrue();
            int from = (int) chunk.offset();
            assertThat(chunk.bytes()).isEqualTo(Arrays.copyOfRange(file.content, from, from + chunk.bytes().length));
        }
    }

    @Test
    void lanesShareAFileAndEachChunkGoesOnce() {
        side.sources.file("f", 20 * CHUNK);
        RemoteServer one = side.openLane(0);
        RemoteServer two = side.openLane(1);
        side.decide(side.offerAll());
        List<Chunk> first = one.takeChunks();
        List<Chunk> second = two.takeChunks();
        assertThat(first).isNotEmpty();
        assertThat(second).isNotEmpty();
        assertThat(first.size() + second.size()).isEqualTo(20);
        assertThat(first)
                .extracting(Chunk::offset)
                .doesNotContainAnyElementsOf(second.stream().map(Chunk::offset).toList());
    }

    /** The header has announced the bytes, so they are sent; the trailer marks them as worthless. */
    @Test
    void chunkOfAShrunkSourceIsPaddedAndMarkedFailed() {
        side.sources.file("f", CHUNK).shrinkTo(10);
        RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        Chunk chunk = end.takeChunks().get(0);
        assertThat(chunk.bytes()).hasSize(CHUNK);
        assertThat(chunk.status()).isEqualTo(Status.SOURCE_FAILED);
        assertThat(side.sent(TransferMessage.SourceFailed.class))
                .singleElement()
                .satisfies(failed -> assertThat(failed.why().text()).contains("shrank"));
    }

    @Test
    void readErrorMarksTheChunkAsFailed() {
        side.sources.file("f", CHUNK).breakAt(10);
        side.sources.file("next", 10);
        RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        assertThat(end.takeChunks()).extracting(Chunk::status).containsExactly(Status.SOURCE_FAILED, Status.SOUND);
        assertThat(side.sent(TransferMessage.SourceFailed.class))
                .singleElement()
                .satisfies(failed -> assertThat(failed.why().text()).contains("Input/output error"));
    }

    @Test
    void changedSourceMarksTheChunkAsFailed() {
        side.sources.file("f", 100).change();
        RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        assertThat(end.takeChunks()).extracting(Chunk::status).containsExactly(Status.SOURCE_FAILED);
        assertThat(side.sent(TransferMessage.SourceFailed.class))
                .singleElement()
                .satisfies(failed -> {
                    assertThat(failed.why().cause()).isEqualTo(Cause.CHANGED);
                    assertThat(failed.why().text()).contains("changed while it was read");
                });
    }

    @Test
    void otherLaneResendsChunksOfLostLane() {
        side.sources.file("f", 3 * CHUNK);
        RemoteServer one = side.openLane(0);
        side.decide(side.offerAll());
        List<Chunk> sent = one.takeChunks();
        assertThat(sent).hasSize(3);
        side.acknowledge(sent.subList(0, 1));
        one.near.abort(Cause.CONNECTION_LOST.failure("cut"));
        side.settle();
        RemoteServer two = side.openLane(1);
        assertThat(two.takeChunks()).extracting(Chunk::offset).containsExactlyInAnyOrder((long) CHUNK, 2L * CHUNK);
    }

    /** The lane's packets go nowhere, and not even a reset arrives: only the kernel's timeouts show that. */
    @Test
    void closesUnansweredLaneWhileOthersMove() {
        side.sources.file("f", 20 * CHUNK);
        int[] timeouts = {1};
        RemoteServer silent = side.openLane(0, lane -> withTimeouts(lane, timeouts));
        RemoteServer other = side.openLane(1);
        side.decide(side.offerAll());
        List<Chunk> unanswered = silent.takeChunks();
        List<Chunk> moving = other.takeChunks();
        assertThat(unanswered).isNotEmpty();
        assertThat(moving).hasSizeGreaterThan(4);
        for (Chunk chunk : moving.subList(0, moving.size() - 1)) {
            side.acknowledge(List.of(chunk));
            side.pass(400);
        }
        assertThat(silent.isClosed()).as("once may be an accident").isFalse();

        timeouts[0] = 2;
        side.pass(1_000);
        assertThat(silent.isClosed()).as("no lane moves, so it is not this one").isFalse();

        side.acknowledge(moving.subList(moving.size() - 1, moving.size()));
        side.pass(50);
        side.pass(50);
        assertThat(silent.isClosed()).isTrue();
        assertThat(other.isClosed()).isFalse();
        assertThat(side.session.takeSent(TransferMessage.RetireLanes.class))
                .as("the client dials it again")
                .singleElement()
                .satisfies(told -> assertThat(told.lanes()).containsExactly(0));
        assertThat(other.takeChunks())
                .extracting(Chunk::offset)
                .containsExactlyInAnyOrderElementsOf(
                        unanswered.stream().map(Chunk::offset).toList());
    }

    private static Lane withTimeouts(Lane lane, int[] timeouts) {
        Connection connection = new Connection() {
            @Override
            public StreamFigures figures() {
                return new StreamFigures(
                        0,
                        0,
                        timeouts[0],
                        StreamFigures.RoundTrip.NONE,
                        StreamFigures.Windows.NONE,
                        StreamFigures.SendTime.NONE,
                        LanePlace.UNKNOWN);
            }
        };
        return (Lane) Proxy.newProxyInstance(
                Lane.class.getClassLoader(),
                new Class<?>[] {Lane.class},
                (proxy, method, arguments) ->
                        method.getName().equals("connection") ? connection : method.invoke(lane, arguments));
    }

    @Test
    void aRetiredLaneClaimsNoMoreAndIsClosedWhenAllIsAcknowledged() {
        side.sources.file("before", 100);
        side.sources.file("after", 200);
        RemoteServer one = side.openLane(0);
        RemoteServer two = side.openLane(1);
        side.offerAll();
        side.decide(1);
        List<Chunk> before = new ArrayList<>(one.takeChunks());
        boolean first = !before.isEmpty();
        before.addAll(two.takeChunks());
        RemoteServer retiring = first ? one : two;
        RemoteServer staying = first ? two : one;
        side.hear(new TransferMessage.RetireLanes(new int[] {first ? 0 : 1}));
        side.hear(new TransferMessage.Verdicts(1, 1, List.of()));
        assertThat(retiring.takeChunks()).isEmpty();
        assertThat(staying.takeChunks()).extracting(Chunk::fileId).containsExactly(1);
        side.sender.onTick();
        side.settle();
        assertThat(retiring.isClosed()).as("its chunk is not acknowledged").isFalse();
        side.acknowledge(before);
        side.sender.onTick();
        side.settle();
        assertThat(retiring.isClosed()).isTrue();
        assertThat(staying.isClosed()).isFalse();
    }

    @Test
    void theLastLaneIsNotRetired() {
        side.sources.file("f", 100);
        RemoteServer only = side.openLane(0);
        side.hear(new TransferMessage.RetireLanes(new int[] {0}));
        side.decide(side.offerAll());
        assertThat(only.takeChunks()).hasSize(1);
    }

    @Test
    void aRateLimitHoldsLeavesBackUntilTheirTime() {
        // One leaf a second.
        instead(new SendingSide(8L * LEAF, TransferLimits.NONE));
        side.sources.file("f", 10 * LEAF);
        RemoteServer end = side.openLane(0);
        side.decide(side.offerAll());
        assertThat(end.takeChunks()).hasSize(10).allMatch(Chunk::isSound);
        assertThat(side.seconds()).isBetween(8L, 10L);
    }

    @Test
    void aLimitOnBytesEndsTheSession() {
        instead(new SendingSide(0, new TransferLimits(100, CHUNK, 4096, 100)));
        side.sources.file("f", 3 * CHUNK);
        RemoteServer end = side.openLane(0);
        int offered = side.offerAll();
        assertThatThrownBy(() -> side.decide(offered))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.LIMIT));
        assertThat(end.near).isNotNull();
    }

    @Test
    void receiverThatSendsOnLaneLosesIt() {
        RemoteServer end = side.openLane(0);
        Block block = end.far.acquire();
        assertThat(block).isNotNull();
        block.buffer().put((byte) 1).flip();
        end.far.send(block);
        side.settle();
        assertThat(end.isClosed()).isTrue();
    }
}
