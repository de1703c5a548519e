package io.fdt.core.objects;

/**
 * Where the value of an object is, until its key is written the next time.
 *
 * @param part of {@link ObjectStore#memory}
 * @param at its first byte there
 */
public record ObjectPlace(int part, int at, long version) {}
