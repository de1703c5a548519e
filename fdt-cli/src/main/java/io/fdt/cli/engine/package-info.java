/**
 * The interface between commands and the engine: {@code Engine} and {@code KeyRing}, which tests replace. Settings that
 * all sessions share are passed to the engine here.
 */
@NullMarked
package io.fdt.cli.engine;

import org.jspecify.annotations.NullMarked;
