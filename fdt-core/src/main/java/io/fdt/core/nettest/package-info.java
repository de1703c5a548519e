/** Network tests: the performance of a path, a kernel and two hosts, measured with the lanes that also move files. */
@NullMarked
package io.fdt.core.nettest;

import org.jspecify.annotations.NullMarked;
