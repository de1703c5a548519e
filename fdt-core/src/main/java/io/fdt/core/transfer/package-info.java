/** What both sides of a copy share, such as the ledger of files, the limits and the watch on lanes. */
@NullMarked
package io.fdt.core.transfer;

import org.jspecify.annotations.NullMarked;
