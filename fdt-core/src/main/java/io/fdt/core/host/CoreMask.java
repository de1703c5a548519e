package io.fdt.core.host;

/**
 * A file of the kernel that holds cores.
 *
 * @param text what stands in the file, to the byte, each byte as one character
 * @param cores what it means
 */
public record CoreMask(String text, CoreSet cores) {}
