package io.fdt.core.transport;

import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * Delivers received bytes to a handler, and checks that it keeps its contract. Exceptions of the handler are passed on.
 *
 * @param mostBytes that the handler may request
 * @param delivering whether the handler may still be called; a call may end that
 */
public record Delivery(LaneHandler handler, int mostBytes, BooleanSupplier delivering) {
    public boolean isDelivering() {
        return delivering.getAsBoolean();
    }

    public int wantedBytes() {
        int wanted = handler.wantedBytes();
        if (wanted < 1 || wanted > mostBytes) {
            throw new IllegalStateException("wanted are 1 to " + mostBytes + " bytes, not " + wanted);
        }
        return wanted;
    }

    /**
     * Delivers the block's bytes between consumed and filled while there are as many as the handler requests, or any if
     * they are the last, and until it has consumed those before {@code until}.
     *
     * @return the index of the first byte that the handler has not consumed
     */
    public int handOut(Block block, int consumedBytes, int filledBytes, int until, boolean last) {
        ByteBuffer view = block.buffer();
        int consumed = consumedBytes;
        while (isDelivering() && consumed < until) {
            int ready = filledBytes - consumed;
            int wanted = wantedBytes();
            if (ready < wanted && !last) {
                break;
            }
            view.limit(filledBytes).position(consumed);
            handler.onReceived(block);
            int position = view.position();
            if (position < consumed || position > filledBytes) {
                throw new IllegalStateException("the handler moved the position to " + position + ", outside of "
                        + consumed + " to " + filledBytes);
            }
            if (position == consumed) {
                if (last) {
                    break;
                }
                // A handler may consume nothing if it then requests more.
                if (isDelivering() && wantedBytes() <= wanted) {
                    throw new IllegalStateException(
                            "the handler took none of " + ready + " bytes and wants no more than before");
                }
            }
            consumed = position;
        }
        return consumed;
    }
}
