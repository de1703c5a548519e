package io.fdt.core.hostile;

import io.fdt.core.plan.RawPath;
import io.fdt.core.security.BearerToken;
import io.fdt.core.security.TokenAccess;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.VerifyMessage;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** Clients of which each has the token of another subject, and lists a directory once. */
public final class ManySubjects implements AutoCloseable {
    private static final int AT_ONCE = 4;

    private final InetSocketAddress server;
    private final IntFunction<String> tokens;
    private final TcpTransport transport;
    private final AtomicInteger begun = new AtomicInteger();

    /** @param tokens the token of each subject, by its number */
    public ManySubjects(InetSocketAddress server, Path authorities, IntFunction<String> tokens) {
        this.server = server;
        this.tokens = tokens;
        BearerToken none = BearerToken.ofFile(authorities);
        this.transport = TcpTransport.forClient(
                TcpSettings.DEFAULTS, new TokenAccess(none, server.getHostString(), authorities));
    }

    /** Has further subjects list, a few at once, until there were this many; fails if one of them is not served. */
    public void listUntil(int count) {
        List<InBackground<Void>> all = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            all.add(InBackground.run(() -> {
                for (int next = begun.getAndIncrement(); next < count; next = begun.getAndIncrement()) {
                    list(tokens.apply(next));
                }
            }));
        }
        all.forEach(InBackground::result);
        begun.set(count);
    }

    private void list(String token) throws InterruptedException {
        RawLink link = new RawLink(transport.connectLink(server, null, Await.LIMIT_MS));
        HostileClient.required(link.next(SessionMessage.Challenge.class));
        link.send(new SessionMessage.Bearer(token, "fdt test"));
        link.send(new VerifyMessage.OpenList(RawPath.ofText("/"), false, false, Await.LIMIT_MS, null));
        HostileClient.required(link.next(SessionMessage.Opened.class));
        HostileClient.required(link.next(VerifyMessage.VerifyEnd.class));
        link.leave();
    }

    @Override
    public void close() {
        transport.close();
    }
}
