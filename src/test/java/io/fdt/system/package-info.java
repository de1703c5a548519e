/**
 * System tests: they start the packaged jar as real processes, as an operator does, and check it from outside by exit
 * codes, JSON lines and files on disk. They use no classes of the engine. {@link io.fdt.system.Workplace} gives each
 * test its own directories and processes. {@link io.fdt.system.Trees} compares trees with independent tools (rsync,
 * stat, python3). {@link io.fdt.system.FaultProxy} disturbs connections between client and server. Tests of behavior
 * under faults have the tag {@code fault}. Tests that run only in a guest of {@code scripts/lab} have the tag
 * {@code lab}.
 */
@NullMarked
package io.fdt.system;

import org.jspecify.annotations.NullMarked;
