package io.fdt.core.transfer;

import io.fdt.core.Clock;
import io.fdt.core.control.Session;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The rate limits of a server's copies: for all of them, and for those of each key. Thread-safe. */
public final class ServerRates {
    private final RateLimit all;
    private final Map<String, KeyRate> byKey = new ConcurrentHashMap<>();

    private record KeyRate(long bitsPerSecond, RateLimit limit) {}

    /** @param bitsPerSecond of all copies together; 0 for no limit */
    public ServerRates(long bitsPerSecond) {
        this.all = new RateLimit(bitsPerSecond, Clock.SYSTEM);
    }

    /** The limit for a session, which includes that of its key. */
    public RateLimit of(Session session) {
        long own = session.keyRateBitsPerSecond();
        if (own == 0) {
            return all;
        }
        // Sessions of a changed key end, so no session is limited to its former rate.
        KeyRate rate = byKey.compute(
                session.keyId(),
                (id, known) -> known != null && known.bitsPerSecond == own
                        ? known
                        : new KeyRate(own, new RateLimit(own, Clock.SYSTEM)));
        return rate.limit.and(all);
    }
}
