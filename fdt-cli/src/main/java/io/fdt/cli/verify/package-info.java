/** {@code verify}: comparison of trees and receipts, and their differences. */
@NullMarked
package io.fdt.cli.verify;

import org.jspecify.annotations.NullMarked;
