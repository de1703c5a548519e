package io.fdt.core.transport.tcp;

import io.fdt.core.failure.TransferException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.TlsContext;
import io.netty.buffer.UnpooledByteBufAllocator;

/**
 * Loads and initializes what the first use of sockets and TLS in a process needs, which takes a core some tenths of a
 * second. It happens once, when this class is initialized: a second thread waits for the first, so one thread can begin
 * early and no two load parts of Netty at the same time.
 */
final class FirstUse {
    static {
        try {
            NettyEpoll.load();
            new SocketIo(TcpSettings.DEFAULTS).newSocket().unsafe().closeForcibly();
            TlsContext.client(Fingerprint.ofBytes(new byte[Fingerprint.BYTES]))
                    .newTls(UnpooledByteBufAllocator.DEFAULT)
                    .release();
        } catch (TransferException notHere) {
            // Reported to the code that needs it.
        }
    }

    private FirstUse() {}

    /** Returns when everything is loaded. USAGE if a library cannot be loaded here. */
    static void await() {
        NettyEpoll.load();
    }
}
