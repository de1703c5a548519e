/** System tests: they start the built jar as real processes, and judge what a user can see. */
@NullMarked
package io.fdt.system;

import org.jspecify.annotations.NullMarked;
