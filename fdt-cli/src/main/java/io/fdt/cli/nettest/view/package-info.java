/**
 * The plans, seconds and results of network tests as lines for people, as JSON and as CSV: a view a suite, pure
 * functions of what the engine hands over.
 */
@NullMarked
package io.fdt.cli.nettest.view;

import org.jspecify.annotations.NullMarked;
