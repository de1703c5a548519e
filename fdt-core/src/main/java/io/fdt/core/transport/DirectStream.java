package io.fdt.core.transport;

/**
 * A lane's stream without blocks and handler: the lane's thread calls the kernel itself and waits in it. For bytes
 * whose content does not matter, where a copy and a wake-up for each block would dominate the measurement. For the
 * lane's thread only, after {@link Lane#takeOver} and within the same call; until that returns, the lane does nothing
 * else.
 *
 * <p>A failure of the connection is the same {@link io.fdt.core.failure.TransferException} that the lane's handler
 * would receive.
 */
public interface DirectStream {
    /** The peer has ended its stream, or the lane is to end. */
    int END = -1;

    /** At most a quarter of a millisecond if each one is a system call. */
    int POLLS = 500;

    /** How long a waiting call waits: short enough for its thread to notice in time that the lane is to end. */
    long WAIT_MS = 100;

    /**
     * Sends from this memory.
     *
     * @param waits a short time if the network accepts nothing
     * @return the number of bytes that the network accepted; 0 if none in that time; {@link #END}
     */
    int send(long address, int lengthBytes, boolean waits);

    /**
     * Receives into this memory.
     *
     * @param waits a short time if nothing arrives
     * @return the number of received bytes; 0 if none in that time; {@link #END}
     */
    int receive(long address, int lengthBytes, boolean waits);

    /** Like {@link #receive(long, int)}, but drops the bytes without copying them. */
    int discard(int lengthBytes);

    default int send(long address, int lengthBytes) {
        return send(address, lengthBytes, true);
    }

    default int sendNow(long address, int lengthBytes) {
        return send(address, lengthBytes, false);
    }

    default int receive(long address, int lengthBytes) {
        return receive(address, lengthBytes, true);
    }

    default int receiveNow(long address, int lengthBytes) {
        return receive(address, lengthBytes, false);
    }

    /** Like {@link #receiveNow}, but busy-polls. Only for a thread that has nothing else to do. */
    default int receivePolling(long address, int lengthBytes) {
        for (int polls = 1; ; polls++) {
            int came = receiveNow(address, lengthBytes);
            if (came != 0 || polls >= POLLS) {
                return came;
            }
            Thread.onSpinWait();
        }
    }
}
