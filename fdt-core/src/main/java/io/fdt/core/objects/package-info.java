/**
 * Small objects outside the Java heap, found by key, with a log that makes them durable. The network test {@code
 * objects} measures it; nothing here depends on the network or on that test.
 */
@NullMarked
package io.fdt.core.objects;

import org.jspecify.annotations.NullMarked;
