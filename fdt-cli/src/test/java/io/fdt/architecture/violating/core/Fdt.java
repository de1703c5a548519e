package io.fdt.architecture.violating.core;

import io.fdt.architecture.violating.core.transfer.Transfer;

/** Allowed: the facade uses all of core. */
public final class Fdt {
    public Transfer transfer() {
        return new Transfer();
    }
}
