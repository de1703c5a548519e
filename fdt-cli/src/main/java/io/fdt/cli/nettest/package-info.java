/**
 * {@code nettest}: network tests by suite, from their options to plans, how they are followed, and the report of those
 * that were run. A suite's figures are shown by {@code nettest.view}.
 */
@NullMarked
package io.fdt.cli.nettest;

import org.jspecify.annotations.NullMarked;
