package io.fdt.core.control;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.KeyStore;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ends sessions whose key admits nobody any more, and tells of keys that come and go. A file of keys that cannot be read lets nobody in, but is no reason to end
 * what runs: it is told once. The timer's thread only.
 */
final class KeyWatch {
    /** Far below the second in which a revocation is promised to take effect. */
    static final long PERIOD_MS = 250;

    private final KeyStore keys;
    private final ServerObserver observer;
    private @Nullable String lastWarning;

    /** By their ids; null while they could not be read. */
    private @Nullable Map<String, AccessKey> known;

    KeyWatch(KeyStore keys, ServerObserver observer) {
        this.keys = keys;
        this.observer = observer;
        this.known = atStart(keys);
    }

    /** Null where they cannot be read, which the first look tells. */
    private static @Nullable Map<String, AccessKey> atStart(KeyStore keys) {
        try {
            return keys.byIds();
        } catch (TransferException unreadable) {
            return null;
        }
    }

    /** What runs by a key. */
    interface Held {
        AccessKey key();

        void end(TransferException why);
    }

    void check(Iterable<? extends Held> all) {
        try {
            for (Held held : all) {
                String objection = keys.objectionTo(held.key());
                if (objection != null) {
                    held.end(new TransferException(FailureKind.REFUSED, objection));
                }
            }
            tellChanges(keys.byIds());
            lastWarning = null;
        } catch (TransferException unreadable) {
            String warning = String.valueOf(unreadable.getMessage());
            if (!warning.equals(lastWarning)) {
                lastWarning = warning;
                observer.onWarning(warning + "; until then nobody new is let in");
            }
        }
    }

    /** Only names and ids: a secret is nobody's news. */
    private void tellChanges(Map<String, AccessKey> now) {
        Map<String, AccessKey> before = known;
        known = now;
        if (before == null || before.equals(now)) {
            return;
        }
        now.values().stream()
                .filter(key -> !before.containsKey(key.id()))
                .forEach(key -> observer.onKeyCreated(key.name(), key.id()));
        before.values().stream()
                .filter(key -> !now.containsKey(key.id()))
                .forEach(key -> observer.onKeyRevoked(key.name(), key.id()));
    }
}
