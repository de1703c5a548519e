package io.fdt.core.verify;

import org.jspecify.annotations.Nullable;

/** Receives the findings of a verification. Called on the verification's threads; must return soon. */
public interface VerifyObserver {
    VerifyObserver NONE = new VerifyObserver() {};

    /** Both sides are open; the comparison begins. The digest is the name of its kind. */
    default void onStart(String tree, String against, String digest) {}

    /**
     * One path differs. Path and detail are for display, already escaped; the detail is null if the finding is
     * sufficient.
     */
    default void onDifference(String path, Finding finding, @Nullable String detail) {}

    /** A warning for the operator that is not a difference; one line. */
    default void onWarning(String message) {}

    enum Finding {
        /** Only in what the tree is verified against; for two trees, only in the first. */
        MISSING,
        /** Only in the tree; for two trees, only in the second. */
        EXTRA,
        /** On both sides, and different. */
        DIFFERENT,
        /** It cannot be read on at least one side. */
        UNREADABLE,
        /** The receipt does not contain its content, so it was not compared. */
        UNVERIFIED
    }
}
