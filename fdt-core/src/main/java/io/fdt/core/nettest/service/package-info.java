/** The frame of a network test on both sides: sessions, lanes, figures, and the table of suites. */
@NullMarked
package io.fdt.core.nettest.service;

import org.jspecify.annotations.NullMarked;
