package io.fdt.core.basic;

import org.jspecify.annotations.Nullable;

/** The release, from the jar's manifest. */
public final class Version {
    private Version() {}

    /** For example {@code 1.0.0+3f2a91c}; {@code unknown} outside a jar. */
    public static String number() {
        @Nullable String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }

    /** The name and version that this side sends to a peer. */
    public static String software() {
        return "fdt " + number();
    }
}
