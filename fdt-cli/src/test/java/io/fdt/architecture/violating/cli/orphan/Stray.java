package io.fdt.architecture.violating.cli.orphan;

/** Forbidden: its package is not in the table. */
final class Stray {}
