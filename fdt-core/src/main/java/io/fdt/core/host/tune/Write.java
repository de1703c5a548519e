package io.fdt.core.host.tune;

import io.fdt.core.host.CoreSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A change of a kernel file.
 *
 * @param path from the root, without a leading slash
 * @param owner of the value: the name of an interrupt or of a NIC, empty for the host; another kernel may give the same
 *     interrupt number to another device
 * @param before its exact present content
 * @param value the new content
 */
public record Write(String path, Format format, String owner, String before, String value, String reason) {
    /** How two texts compare: the kernel may return a value in another form than it was written. */
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
