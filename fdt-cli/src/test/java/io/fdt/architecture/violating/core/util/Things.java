package io.fdt.architecture.violating.core.util;

/** Forbidden: the name of its package says nothing. */
final class Things {}
