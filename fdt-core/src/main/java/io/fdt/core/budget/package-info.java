/** What clients make a server hold: a budget for each key and each of its sessions. */
@NullMarked
package io.fdt.core.budget;

import org.jspecify.annotations.NullMarked;
