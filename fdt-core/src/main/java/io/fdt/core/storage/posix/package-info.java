/** System calls for files: descriptors, status, extended attributes, errors. */
@NullMarked
package io.fdt.core.storage.posix;

import org.jspecify.annotations.NullMarked;
