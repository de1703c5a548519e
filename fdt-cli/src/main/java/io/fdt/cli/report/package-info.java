/**
 * The report of network tests: result files and published figures in one page or picture. It reads files and writes one
 * file; it does not measure and does not use the network. A page is drawn by the scripts of the live page. Input is
 * untrusted: all of it is bounded, and no text of it is markup. It uses no AWT and no fonts of the host, because
 * data-transfer nodes often have none.
 */
@NullMarked
package io.fdt.cli.report;

import org.jspecify.annotations.NullMarked;
