package io.fdt.architecture.violating.core;

import io.fdt.architecture.violating.core.transfer.service.Transfer;

/** Allowed: the facade uses all of core. Not allowed: its callers meet a class of the engine. */
public final class Fdt {
    public Transfer transfer() {
        return new Transfer();
    }
}
