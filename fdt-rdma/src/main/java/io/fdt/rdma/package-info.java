/** The {@code Transport} over RDMA: DiSNI's classes on top of our own JNI library. */
@NullMarked
package io.fdt.rdma;

import org.jspecify.annotations.NullMarked;
