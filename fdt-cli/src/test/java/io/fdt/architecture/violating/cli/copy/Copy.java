package io.fdt.architecture.violating.cli.copy;

/** Allowed. */
public final class Copy {}
