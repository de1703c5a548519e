/** What runs until it ends or is stopped: the frame of a running job, its threads and what they release. */
@NullMarked
package io.fdt.core.run;

import org.jspecify.annotations.NullMarked;
