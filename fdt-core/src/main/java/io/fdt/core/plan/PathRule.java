package io.fdt.core.plan;

/** One {@code --include} or {@code --exclude}; rules are tried in order, the first that matches decides. */
public record PathRule(boolean include, RawPath glob) {}
