package io.fdt.core.host;

/**
 * A file of the kernel that holds cores.
 *
 * @param text what stands in the file, to the byte, each byte as one character
 */
public record CoreMask(String text, CoreSet cores) {}
