package io.fdt.architecture.violating.core;

/** Allowed: all packages may use classes directly in core. */
public final class Shared {}
