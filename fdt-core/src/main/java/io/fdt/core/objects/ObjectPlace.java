package io.fdt.core.objects;

/**
 * The place of the value of an object, valid until its key is written again.
 *
 * @param part index in {@link ObjectStore#memory}
 * @param at offset of the first byte
 */
public record ObjectPlace(int part, int at, long version) {}
