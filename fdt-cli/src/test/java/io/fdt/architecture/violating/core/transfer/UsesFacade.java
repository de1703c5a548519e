package io.fdt.architecture.violating.core.transfer;

import io.fdt.architecture.violating.core.Fdt;

/** Forbidden: the facade is for the modules above core. */
final class UsesFacade {
    Fdt facade = new Fdt();
}
