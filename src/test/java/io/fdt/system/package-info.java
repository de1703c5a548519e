/**
 * System tests: they start the built jar as real processes, the way an operator does, and judge it from outside, by
 * exit codes, JSON lines and the files that stand on disk. Nothing here knows a class of the engine.
 * {@link io.fdt.system.Workplace} gives each test its own directories and processes; {@link io.fdt.system.Trees} is the
 * independent judge (rsync, stat, python3); {@link io.fdt.system.FaultProxy} stands between client and server and hurts
 * their connections. Claims about faults are tagged {@code fault}; what runs in a guest of {@code scripts/lab} only is
 * tagged {@code lab}.
 */
@NullMarked
package io.fdt.system;

import org.jspecify.annotations.NullMarked;
