/** Files: the tree walk, source and target files, confinement to a root, the journal, publishing. */
@NullMarked
package io.fdt.core.storage;

import org.jspecify.annotations.NullMarked;
