/**
 * The suite of small objects that the server holds: its lanes, and reads by the network device without the server's
 * CPU.
 */
@NullMarked
package io.fdt.core.nettest.objects;

import org.jspecify.annotations.NullMarked;
