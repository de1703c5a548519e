/** What the engine sees of files: source and target files, and the roots that paths are confined to. */
@NullMarked
package io.fdt.core.storage;

import org.jspecify.annotations.NullMarked;
