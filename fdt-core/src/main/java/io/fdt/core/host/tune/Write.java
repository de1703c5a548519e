package io.fdt.core.host.tune;

import io.fdt.core.host.CoreSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
    @SuppressWarnings("ImmutableEnumChecker") // its functions have no state
    public enum Format {
        MASK(CoreSet::ofMask),
        LIST(CoreSet::ofList),
        WORDS(text -> text.strip().replaceAll("\\s+", " "));

        private final Function<String, @Nullable Object> meaning;

        Format(Function<String, @Nullable Object> meaning) {
            this.meaning = meaning;
        }

        public boolean same(String one, String other) {
            Object meant = meaning.apply(one);
            return meant != null && meant.equals(meaning.apply(other));
        }
    }
}
