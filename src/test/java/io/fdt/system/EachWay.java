package io.fdt.system;

import io.fdt.system.Route.Direction;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * A test that runs as a push or as a pull, always the same for a test, and about half of them each way. With {@code
 * -Dfdt.directions=2} each test runs both ways. {@link TreeTest} always copies the tree that has every unusual case
 * both ways.
 */
@ParameterizedTest
@ArgumentsSource(EachWay.Directions.class)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface EachWay {
    /** Supplies push and pull, or one of them. */
    final class Directions implements ArgumentsProvider {
        private static final int COUNT = Integer.getInteger("fdt.directions", 1);

        /** Whether tests run in both directions. */
        static boolean all() {
            return COUNT == Direction.values().length;
        }

        @Override
        public Stream<? extends Arguments> provideArguments(
                ParameterDeclarations parameters, ExtensionContext context) {
            Direction[] all = Direction.values();
            int first = Math.floorMod(context.getRequiredTestMethod().getName().hashCode(), all.length);
            return Stream.iterate(first, next -> (next + 1) % all.length)
                    .limit(COUNT)
                    .map(index -> Arguments.of(all[index]));
        }
    }
}
