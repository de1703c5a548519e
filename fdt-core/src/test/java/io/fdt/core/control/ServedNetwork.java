package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.LinkTransport;
import io.fdt.core.transport.MemoryNetwork;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.VerifyMessage;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;

/** A server with one service and a client with a key of it, over a network in memory with threads. */
public final class ServedNetwork implements AutoCloseable {
    private static final int BLOCK_BYTES = 8192;
    private static final int BLOCKS = 4;

    public final LinkTransport here;
    public final Client client;
    final Server server;
    private final LinkTransport there;
    private final Transport.Listener listener;

    /** @param home of the server, which gets a key */
    public ServedNetwork(Path home, Service service, ServerObserver observer) {
        this(keysIn(home), service, observer);
    }

    private ServedNetwork(KeyStore keys, Service service, ServerObserver observer) {
        this(keys, Objects.requireNonNull(keys.defaultKey()), service, observer, ServerLimits.DEFAULT, Thread::new);
    }

    /** @param key of the client */
    ServedNetwork(
            KeyStore keys,
            IssuedKey key,
            Service service,
            ServerObserver observer,
            ServerLimits limits,
            ThreadFactory threads) {
        Identity identity = Identity.create();
        MemoryNetwork network = MemoryNetwork.withThreads(1);
        here = network.newTransport(BLOCK_BYTES, BLOCKS);
        there = network.newTransport(BLOCK_BYTES, BLOCKS);
        server = new Server(
                new Server.Keys(identity.fingerprint(), keys, new Delegations(Clock.SYSTEM, "")),
                request -> service,
                limits,
                observer,
                "fdt",
                Clock.SYSTEM,
                threads);
        listener = there.listen(new InetSocketAddress("localhost", 0), server);
        client = new Client(here, ServerAccess.of(identity, key), "fdt", Clock.SYSTEM, null);
    }

    static KeyStore keysIn(Path home) {
        KeyStore keys = new KeyStore(home);
        keys.createDefaultOnce();
        return keys;
    }

    public InetSocketAddress address() {
        return listener.address();
    }

    /** Opens a session with some request that the service accepts. */
    Session open() throws InterruptedException {
        return open(Await.LIMIT_MS);
    }

    Session open(long timeoutMs) throws InterruptedException {
        return client.open(address(), null, request(), timeoutMs);
    }

    static ControlMessage request() {
        return new VerifyMessage.OpenVerify(RawPath.EMPTY, DigestKind.NONE, false, false, false, 1, Await.LIMIT_MS);
    }

    @Override
    public void close() {
        client.close();
        listener.close();
        server.close();
        here.close();
        there.close();
    }
}
