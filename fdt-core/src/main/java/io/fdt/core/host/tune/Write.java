package io.fdt.core.host.tune;

import io.fdt.core.host.CoreSet;

/**
 * One file of the kernel that is to hold something else.
 *
 * @param path from the root, without a slash at its start
 * @param owner whose value it is: the name of an interrupt or of a NIC, empty for the host's; another kernel may give
 *     the number of an interrupt to another device
 * @param before what stands there, to the byte
 * @param value what is to stand there
 */
public record Write(String path, Format format, String owner, String before, String value, String reason) {
    /** How two texts compare: the kernel writes back in its own way what it was given. */
    public enum Format {
        MASK,
        LIST,
        WORDS;

        public boolean same(String one, String other) {
            return switch (this) {
                case MASK -> {
                    CoreSet cores = CoreSet.ofMask(one);
                    yield cores != null && cores.equals(CoreSet.ofMask(other));
                }
                case LIST -> {
                    CoreSet cores = CoreSet.ofList(one);
                    yield cores != null && cores.equals(CoreSet.ofList(other));
                }
                case WORDS ->
                    one.strip().replaceAll("\\s+", " ").equals(other.strip().replaceAll("\\s+", " "));
            };
        }
    }
}
