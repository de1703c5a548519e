/** Files as the engine sees them: source and target files, and confinement of paths to a root. */
@NullMarked
package io.fdt.core.storage;

import org.jspecify.annotations.NullMarked;
