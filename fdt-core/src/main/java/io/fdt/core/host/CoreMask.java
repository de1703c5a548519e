package io.fdt.core.host;

/**
 * A kernel file that contains a set of cores.
 *
 * @param text the file's exact content, each byte as one character
 */
public record CoreMask(String text, CoreSet cores) {}
