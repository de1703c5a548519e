/** Sources: the tree walk, path filters, and reading files, pipes and zeros. */
@NullMarked
package io.fdt.core.storage.source;

import org.jspecify.annotations.NullMarked;
