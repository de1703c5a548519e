/**
 * {@code server}: its limits, its messages to the operator and the service manager, and the server that ssh starts for
 * one copy.
 */
@NullMarked
package io.fdt.cli.server;

import org.jspecify.annotations.NullMarked;
