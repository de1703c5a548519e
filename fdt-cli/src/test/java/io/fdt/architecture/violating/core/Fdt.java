package io.fdt.architecture.violating.core;

import io.fdt.architecture.violating.core.transfer.service.Transfer;

/** Allowed: the facade uses all of core. Forbidden: it exposes a class of the engine to its callers. */
public final class Fdt {
    public Transfer transfer() {
        return new Transfer();
    }
}
