package io.fdt.core.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A plan is a table of values, and contains those that differ from their defaults. Immutable. */
public interface Plan<P extends Plan<P>> {
    Map<Value<?>, Object> values();

    /** Returns this plan with these values in place of all others. */
    P withValues(Map<Value<?>, Object> values);

    /** A value that is never null. */
    default <T> T get(Value<T> value) {
        return Objects.requireNonNull(find(value), value::toString);
    }

    /** Null for what the plan does not have. */
    @SuppressWarnings("unchecked") // with() accepts only values of the right type
    default <T> @Nullable T find(Value<T> value) {
        Object own = values().get(value);
        return own == null ? value.defaultValue() : (T) own;
    }

    /** Whether the value is another one than the default. */
    default boolean has(Value<?> value) {
        return values().containsKey(value);
    }

    /**
     * Returns this plan with another value; null is the default.
     *
     * @throws IllegalArgumentException for a value that is invalid in every plan
     */
    default <T> P with(Value<T> value, @Nullable T is) {
        if (is != null && !value.admits(is)) {
            throw new IllegalArgumentException(value + " cannot be " + is);
        }
        Map<Value<?>, Object> all = new HashMap<>(values());
        if (is == null || value.isDefault(is)) {
            all.remove(value);
        } else {
            all.put(
                    value,
                    is instanceof List<?> list ? List.copyOf(list) : is instanceof Set<?> set ? Set.copyOf(set) : is);
        }
        return withValues(all);
    }
}
