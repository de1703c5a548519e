/** The suite of small objects that the server holds: its lanes, and reads by the device past the server's processor. */
@NullMarked
package io.fdt.core.nettest.objects;

import org.jspecify.annotations.NullMarked;
