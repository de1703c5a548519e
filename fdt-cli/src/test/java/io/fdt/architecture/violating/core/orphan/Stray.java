package io.fdt.architecture.violating.core.orphan;

/** Forbidden: its package is not in the table. */
final class Stray {}
