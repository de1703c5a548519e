package io.fdt.core.transport.tcp;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.NativeCode;
import io.fdt.core.transport.LaneBlock;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The blocks that the kernel reads in place (MSG_ZEROCOPY) instead of copying them. A block that was sent so is kept
 * here until the kernel's notices of all its sends have come, and the lane fills a spare one instead. Without a spare
 * block, the next one is copied: no lane waits for a notice.
 *
 * <p>It ends for good when the kernel reports that it copied nevertheless, as it does for every receiver on the same
 * host. If the lane ends first, its memory may be unmapped: the kernel holds the pages themselves, unchanged, until it
 * has sent them. For the lane's thread.
 */
final class SendsInPlace {
    /** A power of two. Two mebibytes, a huge page, are in flight at 25 Gbit/s and 0.7 ms. */
    static final int SPARE_BLOCKS = 16;

    /** For fewer bytes, notices cost more than copying. */
    static final int MIN_BYTES = 32 << 10;

    /** A power of two. A block of which the network accepts little at a time needs many sends. */
    static final int MAX_SENDS = 128;

    private static final int COMPLETED = -1;
    private static final int NOTICES = 16;
    private static final int NOTICE_BYTES = 3 * Integer.BYTES;

    private final ByteBuffer notices =
            ByteBuffer.allocateDirect(NOTICES * NOTICE_BYTES).order(ByteOrder.nativeOrder());
    private final long noticesAddress = Libc.addressOf(notices);

    private final LaneBlock[] spares = new LaneBlock[SPARE_BLOCKS];
    private int spareCount;

    // The kept blocks in the order in which they were sent. An index is taken modulo the length.
    private final LaneBlock[] kept = new LaneBlock[SPARE_BLOCKS];
    private final int[] awaitedNotices = new int[SPARE_BLOCKS];
    private int oldestBlock;
    private int nextBlock;

    // The kernel counts sends with 32 bits, from 0 on. Those before the oldest one have been completed.
    private final int[] blockOfSend = new int[MAX_SENDS];
    private int oldestSend;
    private int nextSend;

    /** The kernel reads some bytes of the block that is being sent. */
    private boolean begun;

    private boolean stopped;

    /** @param firstSend the number of the first send */
    SendsInPlace(int firstSend) {
        oldestSend = firstSend;
        nextSend = firstSend;
    }

    void addSpare(LaneBlock block) {
        spares[spareCount++] = block;
    }

    /** Whether to send this many bytes of the block that is being sent in place. */
    boolean isFor(int lengthBytes) {
        return !stopped && spareCount > 0 && lengthBytes >= MIN_BYTES && nextSend - oldestSend < MAX_SENDS;
    }

    /** The kernel has accepted bytes of the block that is being sent, and reads them in place. */
    void onSent() {
        int block = nextBlock & (SPARE_BLOCKS - 1);
        blockOfSend[nextSend & (MAX_SENDS - 1)] = block;
        nextSend++;
        awaitedNotices[block]++;
        begun = true;
    }

    /** Returns the block to fill after this one, all of whose bytes were accepted. */
    LaneBlock exchange(LaneBlock sent) {
        if (!begun) {
            return sent;
        }
        begun = false;
        kept[nextBlock & (SPARE_BLOCKS - 1)] = sent;
        nextBlock++;
        return spares[--spareCount];
    }

    boolean hasSpare() {
        return spareCount > 0;
    }

    /** Reads the notices that have come. */
    void readNotices(int fd) {
        int count;
        do {
            count = NativeCode.sentInPlace(fd, noticesAddress, NOTICES);
            for (int at = 0; at < count * NOTICE_BYTES; at += NOTICE_BYTES) {
                onNotice(notices.getInt(at), notices.getInt(at + 4), notices.getInt(at + 8) != 0);
            }
        } while (count == NOTICES);
    }

    /** The kernel has completed these sends; their notices may come in any order. */
    void onNotice(int firstSend, int lastSend, boolean copied) {
        for (int send = oldestSend; send != nextSend; send++) {
            int index = send & (MAX_SENDS - 1);
            if (send - firstSend >= 0 && lastSend - send >= 0 && blockOfSend[index] != COMPLETED) {
                awaitedNotices[blockOfSend[index]]--;
                blockOfSend[index] = COMPLETED;
            }
        }
        while (oldestSend != nextSend && blockOfSend[oldestSend & (MAX_SENDS - 1)] == COMPLETED) {
            oldestSend++;
        }
        while (oldestBlock != nextBlock && awaitedNotices[oldestBlock & (SPARE_BLOCKS - 1)] == 0) {
            spares[spareCount++] = kept[oldestBlock & (SPARE_BLOCKS - 1)];
            oldestBlock++;
        }
        stopped |= copied;
    }

    /** Nothing more is sent in place: the kernel cannot, or is short of memory for it. */
    void stop() {
        stopped = true;
    }
}
