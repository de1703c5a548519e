/**
 * The suites whose messages nobody looks at: throughput, sweep, latency by lanes and by queue pairs, and requests with
 * answers; and the verdict on throughput.
 */
@NullMarked
package io.fdt.core.nettest.stream;

import org.jspecify.annotations.NullMarked;
