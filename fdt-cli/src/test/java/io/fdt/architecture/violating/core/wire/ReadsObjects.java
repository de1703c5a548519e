package io.fdt.architecture.violating.core.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;

/** Forbidden. */
final class ReadsObjects {
    private ReadsObjects() {}

    static void open(InputStream in) throws IOException {
        new ObjectInputStream(in).close();
    }
}
