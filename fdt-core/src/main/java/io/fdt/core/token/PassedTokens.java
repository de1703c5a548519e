package io.fdt.core.token;

import io.fdt.core.security.Fingerprint;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * In the process of an account: the tokens that the server's first process has verified for that account. A client
 * whose token is not among them begins there. Thread-safe.
 */
final class PassedTokens {
    private static final int MAX = 10_000;

    private final Map<Fingerprint, Boolean> hashes = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Fingerprint, Boolean> eldest) {
            return size() > MAX;
        }
    };

    synchronized void add(String token) {
        hashes.put(Issuers.hash(token), true);
    }

    synchronized boolean contains(String token) {
        return hashes.containsKey(Issuers.hash(token));
    }
}
