package io.fdt.core.transfer.receiving;

import static io.fdt.core.transfer.receiving.ReceivingSide.CHUNK;
import static io.fdt.core.transfer.receiving.ReceivingSide.LEAF;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.transfer.receiving.ReceivingSide.Frame;
import io.fdt.core.transfer.receiving.ReceivingSide.NearEnd;
import io.fdt.core.wire.ChunkTrailer.Status;
import io.fdt.core.wire.TransferMessage;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a receiving lane handles valid and broken frames. */
final class ReceiverLaneTest {
    private ReceivingSide side = new ReceivingSide(1);

    @AfterEach
    void close() {
        side.close();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private void assertDone(int file) {
        assertThat(side.sent(TransferMessage.FilesDone.class))
                .singleElement()
                .satisfies(done -> assertThat(done.fileIds()).containsExactly(file));
    }

    private long count(Counter counter) {
        return side.session.session().counters().sum(counter);
    }

    @ParameterizedTest
    @ValueSource(longs = {2, 3, 4, 5, 6})
    void aWholeFileIsAcknowledgedAndThenDoneHoweverTheLaneCutsIt(long seed) {
        side.close();
        side = new ReceivingSide(seed);
        byte[] content = random(CHUNK + 5);
        side.offer(content.length);
        NearEnd lane = side.openLane(0);
        lane.send(side.new Frame(0, CHUNK, Arrays.copyOfRange(content, CHUNK, CHUNK + 5)).encoded());
        assertThat(side.sent(TransferMessage.Acknowledged.class))
                .singleElement()
                .satisfies(ack -> assertThat(ack.offsets()).containsExactly(CHUNK));
        assertThat(side.target(0).isPublished()).isFalse();
        lane.send(side.new Frame(0, 0, Arrays.copyOf(content, CHUNK)).encoded());
        assertDone(0);
        assertThat(side.target(0).content()).isEqualTo(content);
        assertThat(side.target(0).isPublished()).isTrue();
    }

    @Test
    void requestsDamagedChunkAgainWithoutAcknowledgingIt() {
        side.offer(100);
        NearEnd lane = side.openLane(0);
        Frame frame = side.new Frame(0, 0, random(100));
        frame.digestIsRight = false;
        lane.send(frame.encoded());
        assertThat(side.sent(TransferMessage.SendAgain.class)).singleElement().satisfies(again -> {
            assertThat(again.fileId()).isZero();
            assertThat(again.offset()).isZero();
            assertThat(again.attempt()).isZero();
        });
        assertThat(count(Counter.DAMAGED_CHUNKS)).isEqualTo(1);
        assertThat(count(Counter.VERIFIED_BYTES)).isZero();
        assertThat(count(Counter.RESENT_CHUNKS)).isZero();
        frame.digestIsRight = true;
        frame.attempt = 1;
        lane.send(frame.encoded());
        assertDone(0);
        assertThat(side.target(0).content()).isEqualTo(random(100));
        assertThat(count(Counter.DAMAGED_CHUNKS)).isEqualTo(1);
        assertThat(count(Counter.VERIFIED_BYTES)).isEqualTo(100);
        assertThat(count(Counter.RESENT_CHUNKS)).isEqualTo(1);
        assertThat(count(Counter.RECEIVED_BYTES)).isEqualTo(200);
        assertThat(count(Counter.CHUNKS)).isEqualTo(2);
    }

    /** The receiver compares its own checksums, and does not pass on those of the sender. */
    @Test
    void requestsChunkAgainIfItsChecksumIsWrong() {
        side.offer(100);
        NearEnd lane = side.openLane(0);
        Frame frame = side.new Frame(0, 0, random(100));
        frame.checksumIsRight = false;
        lane.send(frame.encoded());
        assertThat(side.sent(TransferMessage.SendAgain.class)).hasSize(1);
        frame.checksumIsRight = true;
        frame.attempt = 1;
        lane.send(frame.encoded());

        TransferMessage.FilesDone done =
                side.sent(TransferMessage.FilesDone.class).get(0);
        CRC32C crc = new CRC32C();
        crc.update(random(100));
        assertThat(ReceivingSide.DIGEST.checksumsOf(done.digests()))
                .containsEntry(FileHash.CRC32C, "%08x".formatted(crc.getValue()));
    }

    /** Without a digest, the trailer's own checksum is all that shows the damage. */
    @Test
    void requestsAChunkAgainWhoseTrailerIsDamaged() {
        side.close();
        side = new ReceivingSide(DigestKind.NONE);
        side.offer(100);
        NearEnd lane = side.openLane(0);
        Frame frame = side.new Frame(0, 0, random(100));
        frame.trailerIsWhole = false;
        lane.send(frame.encoded());
        assertThat(side.sent(TransferMessage.SendAgain.class)).hasSize(1);
        frame.trailerIsWhole = true;
        frame.attempt = 1;
        lane.send(frame.encoded());
        assertDone(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void copiesAComparedFileIfATrailerIsDamaged(boolean damaged) {
        side.close();
        side = new ReceivingSide(DigestKind.NONE);
        side.compared.add(0);
        side.offer(CHUNK);
        Frame digest = side.new Frame(0, 0, new byte[CHUNK]);
        digest.digestOnly = true;
        digest.trailerIsWhole = !damaged;
        side.openLane(0).send(digest.encoded());
        assertThat(side.kept).hasSize(damaged ? 0 : 1);
    }

    @Test
    void ignoresChunkWithFailedSource() {
        side.offer(100, 50);
        NearEnd lane = side.openLane(0);
        Frame frame = side.new Frame(0, 0, random(100));
        frame.status = Status.SOURCE_FAILED;
        lane.send(frame.encoded());
        lane.send(side.new Frame(1, 0, random(50)).encoded());
        assertDone(1);
        assertThat(side.sent(TransferMessage.SendAgain.class)).isEmpty();
        assertThat(side.target(0).isPublished()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, false", "1, false", "2, false", "0, true", "1, true", "2, true"})
    void writesZerosForHoles(int map, boolean direct) {
        byte[] content = random(CHUNK);
        for (int leaf = 0; leaf < 2; leaf++) {
            if ((map >> leaf & 1) == 0) {
                Arrays.fill(content, leaf * LEAF, (leaf + 1) * LEAF, (byte) 0);
            }
        }
        side.offer(content.length);
        side.target(0).direct = direct;
        Frame frame = side.new Frame(0, 0, content);
        frame.map = map;
        side.openLane(0).send(frame.encoded());
        assertDone(0);
        assertThat(side.target(0).content()).isEqualTo(content);
    }

    /** Another lane has sent the chunk again. The late bytes must get neither there nor into the next file. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatARevokedLaneBringsIsNotWritten(boolean direct) {
        byte[] content = random(2 * CHUNK);
        side.offer(2 * CHUNK, LEAF);
        side.target(0).direct = direct;
        side.target(1).direct = direct;
        NearEnd slow = side.openLane(0);
        ByteBuffer late = side.new Frame(0, CHUNK, new byte[CHUNK]).encoded();
        slow.send(late.slice(0, LEAF + 1000));
        Frame again = side.new Frame(0, CHUNK, Arrays.copyOfRange(content, CHUNK, 2 * CHUNK));
        again.attempt = 1;
        NearEnd other = side.openLane(1);
        other.send(again.encoded());
        other.send(side.new Frame(0, 0, Arrays.copyOf(content, CHUNK)).encoded());
        assertDone(0);
        slow.send(late.slice(LEAF + 1000, late.limit() - LEAF - 1000));
        slow.send(side.new Frame(1, 0, Arrays.copyOf(content, LEAF)).encoded());
        assertDone(1);
        assertThat(side.target(0).content()).isEqualTo(content);
        assertThat(side.target(1).content()).isEqualTo(Arrays.copyOf(content, LEAF));
    }

    /** Without a digest, what is discarded is not looked at; the frame that follows is found nevertheless. */
    @ParameterizedTest
    @ValueSource(longs = {2, 3, 4, 5, 6})
    void passesOverWhatIsDiscarded(long seed) {
        side.close();
        side = new ReceivingSide(DigestKind.NONE, seed);
        side.offer(CHUNK + 5, 100);
        side.target(0).discards = true;
        NearEnd lane = side.openLane(0);
        lane.send(side.new Frame(0, 0, random(CHUNK)).encoded());
        lane.send(side.new Frame(0, CHUNK, random(5)).encoded());
        assertDone(0);
        lane.send(side.new Frame(1, 0, random(100)).encoded());
        assertDone(1);
        assertThat(side.target(0).content()).containsOnly(0xEE);
        assertThat(side.target(1).content()).isEqualTo(random(100));
        assertThat(count(Counter.RECEIVED_BYTES)).isEqualTo(CHUNK + 105);
    }

    /** The sender would replace a lane that it hears nothing of. */
    @Test
    void reportsALaneThatWaitsForASlowDisk() {
        side.offer(100);
        side.openLane(0);
        NearEnd busy = side.openLane(1);
        side.target(0).whileWriting = () -> {
            side.pass(ReceivingSide.TIMEOUT_MS / 2);
            side.receiver.onTick();
        };
        busy.send(side.new Frame(0, 0, random(100)).encoded());
        assertThat(side.sent(TransferMessage.LanesBusy.class))
                .singleElement()
                .satisfies(told -> assertThat(told.lanes()).containsExactly(1));
        side.pass(ReceivingSide.TIMEOUT_MS / 2);
        side.receiver.onTick();
        assertThat(side.sent(TransferMessage.LanesBusy.class)).isEmpty();
    }

    /** A frame of a few bytes stands for a chunk, which is written, read or received. */
    @ParameterizedTest
    @ValueSource(strings = {"holes of a stream", "a comparison", "data"})
    void theRateCountsWhatAFrameMakesThisSideDo(String what) {
        side.close();
        // So fast that no wait is noticed: one nanosecond for each byte.
        side = new ReceivingSide(1, true, 8_000_000_000L);
        if (what.equals("a comparison")) {
            side.compared.add(0);
        }
        if (what.equals("holes of a stream")) {
            side.hear(new TransferMessage.ManifestPage(0, List.of(Entries.stream("s", EntryMetadata.ofMode(0644)))));
        } else {
            side.offer(8 * CHUNK);
            side.target(0).zero(0, 8 * CHUNK);
        }
        NearEnd lane = side.openLane(0);
        for (int i = 0; i < 8; i++) {
            Frame frame = side.new Frame(0, (long) i * CHUNK, new byte[CHUNK]);
            frame.digestOnly = what.equals("a comparison");
            frame.map = what.equals("data") ? frame.map : 0;
            lane.send(frame.encoded());
        }
        assertThat(side.rate.reserve(0)).isEqualTo(8L * CHUNK);
    }

    @Test
    void frameOfOtherSessionClosesOnlyItsLane() {
        side.offer(100);
        NearEnd lane = side.openLane(0);
        Frame frame = side.new Frame(0, 0, random(100));
        frame.tag++;
        lane.send(frame.encoded());
        assertThat(lane.isClosed()).isTrue();
        side.openLane(1).send(side.new Frame(0, 0, random(100)).encoded());
        assertDone(0);
    }

    @Test
    void invalidFrameClosesItsLane() {
        side.offer(100);
        NearEnd lane = side.openLane(0);
        lane.send(ByteBuffer.wrap(random(4096)));
        assertThat(lane.isClosed()).isTrue();
        assertThat(side.target(0).content()).containsOnly(0xEE);
    }

    @Test
    void skipsChunkOfUnknownFile() {
        side.offer(100);
        NearEnd lane = side.openLane(0);
        lane.send(side.new Frame(77, 0, random(500)).encoded());
        lane.send(side.new Frame(0, 0, random(100)).encoded());
        assertDone(0);
        assertThat(lane.isClosed()).isFalse();
    }

    @Test
    void theSameChunkByTwoLanesIsWrittenOnce() {
        byte[] content = random(2 * CHUNK);
        side.offer(content.length);
        NearEnd one = side.openLane(0);
        NearEnd two = side.openLane(1);
        byte[] first = Arrays.copyOf(content, CHUNK);
        one.send(side.new Frame(0, 0, first).encoded());
        two.send(side.new Frame(0, 0, first).encoded());
        two.send(side.new Frame(0, CHUNK, Arrays.copyOfRange(content, CHUNK, 2 * CHUNK)).encoded());
        assertDone(0);
        assertThat(side.target(0).content()).isEqualTo(content);
        assertThat(side.figures.bytesDone.get()).isEqualTo(content.length);
    }

    @Test
    void receivesHalfChunkOfLostLaneAgain() {
        byte[] content = random(CHUNK);
        side.offer(content.length);
        NearEnd lost = side.openLane(0);
        ByteBuffer half = side.new Frame(0, 0, content).encoded();
        lost.send(half.slice(0, LEAF + 1000));
        lost.lane.abort(Cause.CONNECTION_LOST.failure("cut"));
        side.settle();
        assertThat(side.target(0).isPublished()).isFalse();
        side.openLane(1).send(side.new Frame(0, 0, content).encoded());
        assertDone(0);
        assertThat(side.target(0).content()).isEqualTo(content);
    }

    @Test
    void chunkOutsideFileEndsSession() {
        side.offer(100);
        NearEnd lane = side.openLane(0);
        assertThatThrownBy(() -> lane.send(side.new Frame(0, 0, random(101)).encoded()))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        e -> assertThat(e.is(Cause.MALFORMED)).isTrue())
                .hasMessageContaining("not part of");
        assertThat(side.target(0).content()).containsOnly(0xEE);
        assertThat(lane.isClosed()).isTrue();
    }

    @Test
    void writeErrorOfADeviceEndsTheSessionWithItsReason() {
        side.offer(100);
        side.target(0).failWrites(Cause.NO_SPACE);
        NearEnd lane = side.openLane(0);
        assertThatThrownBy(() -> lane.send(side.new Frame(0, 0, random(100)).encoded()))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        e -> assertThat(e.is(Cause.NO_SPACE)).isTrue())
                .hasMessageContaining("cannot write");
    }

    @Test
    void writeErrorOfAFileFailsOnlyThatFile() {
        side.offer(100, 200);
        side.target(0).failWrites(Cause.FILE_TOO_LARGE);
        NearEnd lane = side.openLane(0);
        lane.send(side.new Frame(0, 0, random(100)).encoded());
        assertThat(side.sent(TransferMessage.FileFailed.class)).singleElement().satisfies(failed -> {
            assertThat(failed.fileId()).isZero();
            assertThat(failed.why().cause()).isEqualTo(Cause.FILE_TOO_LARGE);
        });
        lane.send(side.new Frame(1, 0, random(200)).encoded());
        assertDone(1);
        assertThat(side.target(0).isPublished()).isFalse();
    }
}
