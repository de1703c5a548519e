package io.fdt.core.transport;

/**
 * A lane's stream without blocks, handler and event loop in between: the lane's thread calls the kernel itself and
 * waits in it. For bytes whose content nobody looks at, where a copy and a wake-up for each block would be what is
 * measured. The lane's thread only, from {@link Lane#takeOver} on and within the same call; until that returns the lane
 * does nothing else.
 *
 * <p>A failure of the connection is a {@link io.fdt.core.TransferException}, as the lane's handler would be told it.
 */
public interface DirectStream {
    /** The peer has ended its stream, or the lane was told from elsewhere to end. */
    int END = -1;

    /** A quarter of a millisecond at most where each one is a call of the kernel. */
    int POLLS = 500;

    /** How long a call waits that does: so that its thread sees in time that the lane is to end. */
    long WAIT_MS = 100;

    /**
     * Sends from this memory.
     *
     * @param waits a short while where the network takes nothing
     * @return how many bytes the network took; 0 when none in that while; {@link #END}
     */
    int send(long address, int lengthBytes, boolean waits);

    /**
     * Receives into this memory.
     *
     * @param waits a short while where nothing comes
     * @return how many bytes came; 0 when none in that while; {@link #END}
     */
    int receive(long address, int lengthBytes, boolean waits);

    /** As {@link #receive(long, int)}, but the bytes are dropped where they are and never copied out. */
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

    /** As {@link #receiveNow}, but asks again and again: for a thread that has nothing else to do. */
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
