package io.fdt.architecture.violating.cli.orphan;

/** Forbidden: its room is not in the table. */
final class Stray {}
