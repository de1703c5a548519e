/**
 * Traces of copies by OpenTelemetry, sent by OTLP. Only {@link io.fdt.cli.trace.Traces} is loaded unless a receiver is
 * set in the environment.
 */
@NullMarked
package io.fdt.cli.trace;

import org.jspecify.annotations.NullMarked;
