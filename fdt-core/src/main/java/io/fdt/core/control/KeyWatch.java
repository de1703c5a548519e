package io.fdt.core.control;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.KeyStore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends sessions whose key admits nobody any more. A file of keys that cannot be read lets nobody in, but is no reason to end
 * what runs: it is told once. The timer's thread only.
 */
final class KeyWatch {
    /** Far below the second in which a revocation is promised to take effect. */
    static final long PERIOD_MS = 250;

    private final KeyStore keys;
    private final Consumer<String> warnings;
    private @Nullable String lastWarning;

    KeyWatch(KeyStore keys, Consumer<String> warnings) {
        this.keys = keys;
        this.warnings = warnings;
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
            lastWarning = null;
        } catch (TransferException unreadable) {
            String warning = String.valueOf(unreadable.getMessage());
            if (!warning.equals(lastWarning)) {
                lastWarning = warning;
                warnings.accept(warning + "; until then nobody new is let in");
            }
        }
    }
}
