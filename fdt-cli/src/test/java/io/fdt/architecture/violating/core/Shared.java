package io.fdt.architecture.violating.core;

/** Allowed: what stands in core is open to all. */
public final class Shared {}
