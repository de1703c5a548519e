/**
 * The option tables, and the lookup of values: command line, environment, config file, default, in this order. Help,
 * manual pages, completion, reference and config file all read the same tables. The tables do not depend on any
 * command.
 */
@NullMarked
package io.fdt.cli.option;

import org.jspecify.annotations.NullMarked;
