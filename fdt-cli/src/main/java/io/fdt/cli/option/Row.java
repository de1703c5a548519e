package io.fdt.cli.option;

import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.ValueParser;
import io.fdt.cli.value.Words;
import io.fdt.core.plan.Plan;
import io.fdt.core.plan.Value;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Options, and the value of a plan that they set.
 *
 * @param value null for options that no plan has
 * @param reader returns null for what the plan has without the options
 * @param meaningless the kinds of runs in which the options have no meaning
 * @param <C> what readers need besides the settings
 */
public record Row<T, C>(@Nullable Value<T> value, List<Option> options, Reader<T, C> reader, Set<?> meaningless) {
    public interface Reader<T, C> {
        @Nullable T read(Settings settings, C context);
    }

    public static <T, C> Row<T, C> of(@Nullable Value<T> value, List<Option> options, Reader<T, C> reader) {
        return new Row<>(value, options, reader, Set.of());
    }

    public static <T, C> Row<T, C> of(Value<T> value, Option option, ValueParser<T> parser) {
        return of(value, List.of(option), (settings, context) -> settings.find(option, parser));
    }

    public static <C> Row<Boolean, C> flag(Value<Boolean> value, Option option) {
        return of(value, List.of(option), (settings, context) -> settings.on(option));
    }

    public static <E extends Enum<E>, C> Row<E, C> choice(Value<E> value, Option option, Class<E> type) {
        return of(value, List.of(option), (settings, context) -> settings.choice(option, type));
    }

    public static <C> Row<Integer, C> number(Value<Integer> value, Option option) {
        return of(value, option, Words.number(value.min(), value.max()));
    }

    public static <C> Row<Integer, C> size(Value<Integer> value, Option option) {
        ValueParser<Long> parser = Sizes.between(value.min(), value.max());
        return of(value, option, text -> parser.parse(text).intValue());
    }

    public static <C> Row<Boolean, C> of(Option... options) {
        return of(null, List.of(options), (settings, context) -> null);
    }

    public Row<T, C> except(Object... kinds) {
        return new Row<>(value, options, reader, Set.of(kinds));
    }

    /** Returns the plan with what the options say. */
    public <P extends Plan<P>> P into(P plan, Settings settings, C context) {
        T is = value == null ? null : reader.read(settings, context);
        return value == null || is == null ? plan : plan.with(value, is);
    }
}
