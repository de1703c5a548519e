package io.fdt.core.control;

import io.fdt.core.basic.LineLimit;
import io.fdt.core.failure.Failure;
import java.util.HashMap;
import java.util.Map;

/**
 * Reports the first refusals of each address, and periodically the number of further ones, so that nobody can fill the
 * operator's log from outside. Thread-safe.
 */
final class RefusalLimit {
    /** How often to call {@link #reportRest}. */
    static final long PERIOD_MS = 60_000;

    private static final int MAX_OF_ADDRESS = 10;
    private static final int MAX_ADDRESSES = 50;
    private static final String OTHERS = "other addresses";

    private final ServerObserver observer;
    private final Map<String, LineLimit> byAddress = new HashMap<>();

    RefusalLimit(ServerObserver observer) {
        this.observer = observer;
    }

    void report(String peer, Failure why) {
        observer.onRefusal(why.cause());
        if (linesOf(Session.hostOf(peer)).take()) {
            observer.onRefused(peer, why.text());
        }
    }

    private synchronized LineLimit linesOf(String address) {
        boolean known = byAddress.containsKey(address) || byAddress.size() < MAX_ADDRESSES;
        return byAddress.computeIfAbsent(known ? address : OTHERS, first -> new LineLimit(MAX_OF_ADDRESS));
    }

    /** Reports the number of suppressed refusals, and starts again. */
    void reportRest() {
        Map<String, LineLimit> ended;
        synchronized (this) {
            ended = Map.copyOf(byAddress);
            byAddress.clear();
        }
        ended.forEach((address, lines) -> {
            long rest = lines.takeRest();
            if (rest > 0) {
                observer.onRefused(address, rest + " more connections or requests");
            }
        });
    }
}
