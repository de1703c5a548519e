package io.fdt.core.verify;

import org.jspecify.annotations.Nullable;

/** Receives the findings of a verification. Called on the verification's threads; must return soon. */
public interface VerifyObserver {
    /** Nobody watches. */
    VerifyObserver NONE = new VerifyObserver() {};

    /** Both sides are there; the comparison begins. The digest is the name of its kind. */
    default void onStart(String tree, String against, String digest) {}

    /** One path differs. Path and detail are for people, already escaped; null where the finding says it all. */
    default void onDifference(String path, Finding finding, @Nullable String detail) {}

    /** Something the operator should know and that is no difference; one line. */
    default void onWarning(String message) {}

    /** What is wrong at a path. */
    enum Finding {
        /** Only in what the tree is verified against; of two trees: only in the first. */
        MISSING,
        /** The other way round. */
        EXTRA,
        /** On both sides, and not the same. */
        DIFFERENT,
        /** On one side at least nobody can tell. */
        UNREADABLE,
        /** Its content is not known to the receipt, and so was not compared. */
        UNVERIFIED
    }
}
