/**
 * The seam to what moves data: commands ask {@code Engine} and {@code KeyRing}, of which tests have their own. The
 * settings that all sessions share become the engine's here.
 */
@NullMarked
package io.fdt.cli.engine;

import org.jspecify.annotations.NullMarked;
