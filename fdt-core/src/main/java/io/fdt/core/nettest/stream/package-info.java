/**
 * The suites that do not interpret their messages: throughput with its verdict, sweep, latency over lanes and queue
 * pairs, and requests with answers.
 */
@NullMarked
package io.fdt.core.nettest.stream;

import org.jspecify.annotations.NullMarked;
