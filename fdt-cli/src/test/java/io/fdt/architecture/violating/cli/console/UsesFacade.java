package io.fdt.architecture.violating.cli.console;

import io.fdt.architecture.violating.core.Fdt;

/** Forbidden: only commands use the facade. */
final class UsesFacade {
    Fdt facade = new Fdt();
}
