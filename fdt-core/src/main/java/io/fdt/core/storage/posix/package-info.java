/** Calls of the kernel, as files of all kinds need them: descriptors, status, extended attributes, errors. */
@NullMarked
package io.fdt.core.storage.posix;

import org.jspecify.annotations.NullMarked;
