package io.fdt.architecture.violating.core.util;

/** Forbidden: the name of its package is meaningless. */
final class Things {}
