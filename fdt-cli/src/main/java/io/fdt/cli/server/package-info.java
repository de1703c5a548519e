/**
 * {@code server}: the limits that it is given, what the operator and the service manager are told, and the server that
 * ssh has started for one copy.
 */
@NullMarked
package io.fdt.cli.server;

import org.jspecify.annotations.NullMarked;
