/**
 * Small objects outside the heap, found by key, with a log that lets them survive the end of the process. What the
 * network test {@code objects} measures; knows of no network and of no test.
 */
@NullMarked
package io.fdt.core.objects;

import org.jspecify.annotations.NullMarked;
