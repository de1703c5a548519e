/** Sources: the walk of a tree, the filters of paths, and files, pipes and zeros that are read. */
@NullMarked
package io.fdt.core.storage.source;

import org.jspecify.annotations.NullMarked;
