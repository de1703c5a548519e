/** {@code verify}: trees and receipts held against each other, and what differs. */
@NullMarked
package io.fdt.cli.verify;

import org.jspecify.annotations.NullMarked;
