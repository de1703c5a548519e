package com.ibm.disni.verbs.impl;

/** Creates DiSNI's native interface, whose constructor, which checks the versions of both sides, is package-private. */
public final class Natives {
    private Natives() {}

    /** Throws IllegalStateException if DiSNI does not accept the native library. */
    public static NativeDispatcher create() {
        try {
            return new NativeDispatcher();
        } catch (Exception refused) {
            throw new IllegalStateException("DiSNI does not accept the native library", refused);
        }
    }
}
