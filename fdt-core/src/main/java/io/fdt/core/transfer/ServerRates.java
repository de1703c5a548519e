package io.fdt.core.transfer;

import io.fdt.core.Clock;
import io.fdt.core.control.Session;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The rates that a server's copies are held to: that of all of them, and of those of one key. Thread-safe. */
public final class ServerRates {
    private final RateLimit all;
    private final Map<String, RateLimit> byKey = new ConcurrentHashMap<>();

    /** @param bitsPerSecond of all copies together; 0 for no limit */
    public ServerRates(long bitsPerSecond) {
        this.all = new RateLimit(bitsPerSecond, Clock.SYSTEM);
    }

    /** What a session that came by a key is held to. */
    public RateLimit of(Session session) {
        long own = session.keyRateBitsPerSecond();
        return own == 0
                ? all
                : byKey.computeIfAbsent(session.keyId(), id -> new RateLimit(own, Clock.SYSTEM))
                        .and(all);
    }
}
