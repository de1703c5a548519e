/** The frame of a network test on either side: sessions, their lanes and figures, and the table of suites. */
@NullMarked
package io.fdt.core.nettest.service;

import org.jspecify.annotations.NullMarked;
