/** Help, manual pages and shell completion, generated from the option tables. */
@NullMarked
package io.fdt.cli.help;

import org.jspecify.annotations.NullMarked;
