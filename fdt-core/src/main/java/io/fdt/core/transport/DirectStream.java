package io.fdt.core.transport;

/**
 * A lane's stream without blocks, handler and event loop in between: the lane's thread calls the kernel itself and
 * waits in it. For bytes whose content nobody looks at, where a copy and a wake-up for each block would be what is
 * measured. The lane's thread only, from {@link Lane#takeOver} to {@link #close}; until then the lane does nothing
 * else.
 *
 * <p>A failure of the connection is a {@link io.fdt.core.TransferException}, as the lane's handler would be told it.
 */
public interface DirectStream extends AutoCloseable {
    /** The peer has ended its stream, or the lane was told from elsewhere to end. */
    int END = -1;

    /**
     * Sends from this memory, waiting a short while where the network takes nothing.
     *
     * @return how many bytes the network took; 0 when none in that while; {@link #END}
     */
    int send(long address, int lengthBytes);

    /** As {@link #send}, but never waits. */
    int sendNow(long address, int lengthBytes);

    /**
     * Receives into this memory, waiting a short while where nothing comes.
     *
     * @return how many bytes came; 0 when none in that while; {@link #END}
     */
    int receive(long address, int lengthBytes);

    /** As {@link #receive}, but never waits. */
    int receiveNow(long address, int lengthBytes);

    /**
     * As {@link #receiveNow}, but asks again and again for a short while before it returns 0: for a thread that has
     * nothing else to do.
     */
    int receivePolling(long address, int lengthBytes);

    /** As {@link #receive}, but the bytes are dropped where they are and never copied out. */
    int discard(int lengthBytes);

    /** Gives the stream back to the lane. */
    @Override
    void close();
}
