package io.fdt.core.plan;

/** One {@code --include} or {@code --exclude}. Rules are tried in order, and the first match decides. */
public record PathRule(boolean include, RawPath glob) {
    public PathRule {
        glob.requireShort();
    }
}
