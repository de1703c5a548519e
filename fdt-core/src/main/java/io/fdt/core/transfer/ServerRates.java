package io.fdt.core.transfer;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.control.Session;
import io.fdt.core.plan.TransferLimits;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;

/** The rate limits of a server: for everything together, and for each key. Thread-safe. */
public final class ServerRates {
    private final RateLimit all;
    private final Map<String, KeyRate> byKey = new ConcurrentHashMap<>();

    private record KeyRate(long bitsPerSecond, RateLimit limit) {}

    /**
     * @param bitsPerSecond of all copies together; 0 for no limit
     * @param totals of the processes that share it
     */
    public ServerRates(long bitsPerSecond, ServerTotals totals) {
        this.all = new RateLimit(bitsPerSecond, Clock.SYSTEM, totals.rate(0), totals.rate(1));
    }

    /**
     * Limits what is not a copy, such as the reading of a verification, to the rate and the bytes of the key. Accepts
     * bytes on the thread that moves them, which waits; throws REFUSED if there are too many, and the reason if the
     * session is ending.
     */
    public IntConsumer pacing(Session session) {
        RateLimit rate = of(session);
        LimitGate gate = LimitGate.ofServer(TransferLimits.SERVER_DEFAULT.atMost(session.keyBytes()));
        return bytes -> {
            gate.countBytes(bytes);
            rate.await(bytes, session.budget());
        };
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
