package io.fdt.architecture.violating.cli.value;

import io.fdt.architecture.violating.cli.copy.Copy;

/** Forbidden: values must not use commands. */
final class UsesCopy {
    Copy copy = new Copy();
}
