/** What can be typed, told from the tables of options: the help, the manual pages, the completion of three shells. */
@NullMarked
package io.fdt.cli.help;

import org.jspecify.annotations.NullMarked;
