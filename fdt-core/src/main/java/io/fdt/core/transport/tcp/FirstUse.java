package io.fdt.core.transport.tcp;

import io.fdt.core.TransferException;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.TlsContexts;
import io.netty.buffer.UnpooledByteBufAllocator;

/**
 * What the first use of sockets and TLS in a process loads and sets up, which takes a core some tenths of a second. It
 * happens once, when this class is initialized: who comes second waits for who came first, so that one thread can begin
 * early and no two load parts of Netty at once.
 */
final class FirstUse {
    static {
        NettyLog.quieten();
        try {
            SocketIo.of(TcpSettings.DEFAULTS);
            TlsContexts.client(Fingerprint.ofBytes(new byte[Fingerprint.BYTES]), TlsContexts.Provider.best())
                    .newTls(UnpooledByteBufAllocator.DEFAULT)
                    .release();
        } catch (TransferException notHere) {
            // Whoever asks for just that is told.
        }
    }

    private FirstUse() {}

    /** Returns when all is loaded. */
    static void await() {
        // Calling it initializes the class.
    }
}
