package io.fdt.architecture.violating.cli.value;

import io.fdt.architecture.violating.cli.copy.Copy;

/** Forbidden: values know no command. */
final class UsesCopy {
    Copy copy = new Copy();
}
