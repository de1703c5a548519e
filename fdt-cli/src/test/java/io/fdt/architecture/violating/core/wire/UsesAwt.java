package io.fdt.architecture.violating.core.wire;

import java.awt.Color;

/** Forbidden. */
interface UsesAwt {
    Color color();
}
