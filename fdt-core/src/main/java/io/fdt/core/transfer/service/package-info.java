/** The transfer service and its client: each opens sessions and runs one side of a copy in them. */
@NullMarked
package io.fdt.core.transfer.service;

import org.jspecify.annotations.NullMarked;
