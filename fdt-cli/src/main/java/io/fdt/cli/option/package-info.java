/**
 * The tables of options, and how a value is found: command line before environment before config file before default. A
 * table is read by the help, the manual pages, the completion, the reference and the config file alike; none of it
 * knows a command.
 */
@NullMarked
package io.fdt.cli.option;

import org.jspecify.annotations.NullMarked;
