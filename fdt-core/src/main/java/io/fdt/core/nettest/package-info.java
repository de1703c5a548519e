/** The network tests: what a path, a kernel and two hosts can do, measured with the lanes that move files. */
@NullMarked
package io.fdt.core.nettest;

import org.jspecify.annotations.NullMarked;
