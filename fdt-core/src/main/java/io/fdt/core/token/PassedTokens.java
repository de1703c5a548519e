package io.fdt.core.token;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The last tokens that the server's first process has verified and passed to the process of an account, for whom this
 * is kept in either process. Thread-safe.
 *
 * @param <T> what is known of a token
 */
public final class PassedTokens<T> {
    /** More than there are clients of a process that have shown a token and do not have their session yet. */
    private static final int MAX = 10_000;

    private final Map<T, Boolean> newest = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<T, Boolean> eldest) {
            return size() > MAX;
        }
    };

    public synchronized void add(T token) {
        newest.put(token, true);
    }

    public synchronized boolean contains(T token) {
        return newest.containsKey(token);
    }
}
