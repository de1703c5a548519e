/** Plans, intervals and results of network tests as text, JSON and CSV. Pure functions, one view for each suite. */
@NullMarked
package io.fdt.cli.nettest.view;

import org.jspecify.annotations.NullMarked;
