/**
 * {@code nettest}: the suites with their options and plans, their progress, and the report. {@code nettest.view} prints
 * the results.
 */
@NullMarked
package io.fdt.cli.nettest;

import org.jspecify.annotations.NullMarked;
