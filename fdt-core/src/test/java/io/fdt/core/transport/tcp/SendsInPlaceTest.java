package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.LaneBlock;
import io.fdt.core.transport.LaneMemory;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which blocks may be filled again, by the notices of the kernel. */
final class SendsInPlaceTest {
    private static final int BLOCK_BYTES = 64 << 10;
    private static final int ENOUGH_BYTES = SendsInPlace.MIN_BYTES;

    private final LaneMemory memory = new LaneMemory(sizes());
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
    private LaneBlock own = memory.cut(null, BLOCK_BYTES);
    private SendsInPlace sends = new SendsInPlace(0);
    /** Of the next send. */
    private int number;

    private static int[] sizes() {
        int[] sizes = new int[1 + SendsInPlace.SPARE_BLOCKS];
        Arrays.fill(sizes, BLOCK_BYTES);
        return sizes;
    }

    @BeforeEach
    void addSpares() {
        addSparesOf(memory);
    }

    @AfterEach
    void freeMemory() {
        memory.close();
    }

    /** Sends the lane's block in parts, and returns it. */
    private LaneBlock sendBlock(int parts) {
        LaneBlock sent = own;
        for (int i = 0; i < parts; i++) {
            assertThat(sends.isFor(ENOUGH_BYTES)).isTrue();
            sends.onSent();
        }
        own = sends.exchange(sent);
        return sent;
    }

    /** Takes the spare blocks that there are, and adds them again. */
    private List<LaneBlock> spares() {
        List<LaneBlock> spares = new ArrayList<>();
        while (sends.hasSpare()) {
            sends.onSent();
            spares.add(sends.exchange(own));
        }
        return spares;
    }

    @Test
    void blockReturnsOnceAllItsSendsAreComplete() {
        LaneBlock sent = sendBlock(3);
        assertThat(own).isNotSameAs(sent);
        sends.onNotice(0, 1, false);
        assertThat(spares()).doesNotContain(sent);
    }

    @Test
    void blockReturnsAfterItsLastNotice() {
        LaneBlock sent = sendBlock(3);
        sends.onNotice(2, 2, false);
        sends.onNotice(0, 1, false);
        assertThat(spares()).contains(sent);
    }

    @Test
    void blockThatWasCopiedIsFilledAgainAtOnce() {
        assertThat(sends.exchange(own)).isSameAs(own);
    }

    @Test
    void noticesInAnyOrderAndTwiceReturnEachBlockOnce() {
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < 2_000; round++) {
            List<int[]> notices = new ArrayList<>();
            List<LaneBlock> sent = new ArrayList<>();
            int blocks = 1 + random.nextInt(SendsInPlace.SPARE_BLOCKS);
            int next = number;
            for (int i = 0; i < blocks; i++) {
                int parts = 1 + random.nextInt(4);
                sent.add(sendBlock(parts));
                notices.add(new int[] {next, next + parts - 1});
                next += parts;
            }
            number = next;
            while (!notices.isEmpty()) {
                int[] notice = notices.remove(random.nextInt(notices.size()));
                sends.onNotice(notice[0], notice[1], false);
                sends.onNotice(notice[0], notice[1], false);
            }
            assertThat(new HashSet<>(sent)).hasSize(blocks);
        }
        List<LaneBlock> spares = spares();
        assertThat(new HashSet<>(spares)).hasSize(SendsInPlace.SPARE_BLOCKS).doesNotContain(own);
    }

    /** The kernel's number of a send has 32 bits. */
    @Test
    void numbersWrapAround() {
        number = -SendsInPlace.MAX_SENDS;
        sends = new SendsInPlace(number);
        try (LaneMemory others = new LaneMemory(sizes())) {
            addSparesOf(others);
            noticesInAnyOrderAndTwiceReturnEachBlockOnce();
        }
        assertThat(number).isPositive();
    }

    private void addSparesOf(LaneMemory blocks) {
        for (int i = 0; i < SendsInPlace.SPARE_BLOCKS; i++) {
            sends.addSpare(blocks.cut(null, BLOCK_BYTES));
        }
    }

    @Test
    void noticeOfNothingThatWasSentChangesNothing() {
        LaneBlock sent = sendBlock(1);
        sends.onNotice(1, 400, false);
        sends.onNotice(-400, -1, false);
        assertThat(spares()).doesNotContain(sent);
    }

    @Test
    void nothingIsSentInPlaceWithoutASpareBlockOrForFewBytes() {
        assertThat(sends.isFor(ENOUGH_BYTES - 1)).isFalse();
        for (int i = 0; i < SendsInPlace.SPARE_BLOCKS; i++) {
            sendBlock(1);
        }
        assertThat(sends.isFor(ENOUGH_BYTES)).isFalse();
        sends.onNotice(0, 0, false);
        assertThat(sends.isFor(ENOUGH_BYTES)).isTrue();
    }

    @Test
    void nothingIsSentInPlaceWithTooManySendsUnderWay() {
        for (int i = 0; i < SendsInPlace.MAX_SENDS; i++) {
            assertThat(sends.isFor(ENOUGH_BYTES)).isTrue();
            sends.onSent();
        }
        assertThat(sends.isFor(ENOUGH_BYTES)).isFalse();
        sends.onNotice(5, 5, false);
        assertThat(sends.isFor(ENOUGH_BYTES)).isFalse();
        sends.onNotice(0, 4, false);
        assertThat(sends.isFor(ENOUGH_BYTES)).isTrue();
    }

    @Test
    void endsWhenTheKernelCopied() {
        LaneBlock sent = sendBlock(1);
        LaneBlock later = sendBlock(1);
        sends.onNotice(0, 0, true);
        assertThat(sends.isFor(ENOUGH_BYTES)).isFalse();
        // What is under way is still waited for.
        sends.onNotice(1, 1, false);
        assertThat(spares()).contains(sent, later);
    }

    private static ByteBuffer address(ServerSocket listener) {
        return ByteBuffer.allocateDirect(16)
                .order(ByteOrder.nativeOrder())
                .putShort(0, (short) 2)
                .order(ByteOrder.BIG_ENDIAN)
                .putShort(2, (short) listener.getLocalPort())
                .putInt(4, 0x7f000001);
    }

    /**
     * Against a real kernel: it reads the bytes when it sends them, long after the call, and reports then that it
     * copied them for the receiver on the same host.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 12})
    void kernelReadsBlocksInPlaceAndReportsThem(int blocks) throws IOException {
        try (ServerSocket listener = new ServerSocket()) {
            listener.setReceiveBufferSize(1 << 12);
            listener.bind(TcpEnds.loopback(0));
            int fd = Libc.socket(2, 1, 0);
            try {
                assertThat(Sockets.permitSendsInPlace(fd, scratch)).isZero();
                assertThat(Libc.connect(fd, Libc.addressOf(address(listener)), 16))
                        .isZero();
                try (Socket peer = listener.accept()) {
                    int sentBytes = 0;
                    List<LaneBlock> sent = new ArrayList<>();
                    for (int i = 0; i < blocks; i++) {
                        Libc.memset(own.address(), 1, BLOCK_BYTES);
                        int accepted = Sockets.sendInPlace(fd, own.address(), BLOCK_BYTES);
                        assertThat(accepted).isPositive();
                        sentBytes += accepted;
                        sent.add(sendBlock(1));
                    }
                    sent.forEach(block -> Libc.memset(block.address(), 2, BLOCK_BYTES));
                    sends.readNotices(fd);
                    assertThat(sends.isFor(ENOUGH_BYTES)).isTrue();
                    byte[] came = peer.getInputStream().readNBytes(sentBytes);
                    assertThat(came).hasSize(sentBytes).contains(1).contains(2);
                    Await.until("all blocks are back, as copied", () -> {
                        sends.readNotices(fd);
                        return !sends.isFor(ENOUGH_BYTES);
                    });
                }
            } finally {
                Libc.close(fd);
            }
        }
    }
}
