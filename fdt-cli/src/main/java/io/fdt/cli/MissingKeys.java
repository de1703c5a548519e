package io.fdt.cli;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stands where the keys will: says that there are none. */
final class MissingKeys implements KeyRing {
    @Override
    public String line(@Nullable String name) {
        throw missing();
    }

    @Override
    public KnownKey keep(String line, @Nullable String server) {
        throw missing();
    }

    @Override
    public List<KnownKey> list() {
        throw missing();
    }

    @Override
    public boolean revoke(String name) {
        throw missing();
    }

    private static TransferException missing() {
        return new TransferException(FailureKind.INTERNAL, "this build has no keys");
    }
}
