package io.fdt.core.transport;

import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * Hands received bytes to a handler, and holds it to its contract. What it throws is passed on.
 *
 * @param mostBytes that the handler may want
 * @param delivering whether the handler may still be called; it may end that within a call
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
     * Hands out the block's bytes between consumed and filled as long as there are as many as the handler wants, or any
     * when they are the last, and until it has taken those before {@code until}.
     *
     * @return where what the handler has not taken begins
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
                // To look and then to want more is fine.
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
