/** The {@code Transport} over RDMA: DiSNI's classes above, our own JNI library below. */
@NullMarked
package io.fdt.rdma;

import org.jspecify.annotations.NullMarked;
