/**
 * The report of network tests: result files and published figures, laid over each other, as a page or a picture. It
 * reads files and writes one; it measures nothing and speaks to nobody. Everything that it reads may come from a
 * stranger, so all of it is bounded, and no text of it reaches a page unescaped. Only the writer of PNG uses AWT, and
 * no font of the host: a data-transfer node often has none.
 */
@NullMarked
package io.fdt.cli.report;

import org.jspecify.annotations.NullMarked;
