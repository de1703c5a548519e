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
 * A test that runs as a push and as a pull. The everyday tier sets {@code fdt.directions=1}: then each test runs in
 * only one direction. The direction of a test never changes, and half of the tests run each way.
 */
@ParameterizedTest
@ArgumentsSource(EachWay.Directions.class)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface EachWay {
    /** Supplies push and pull, or one of them. */
    final class Directions implements ArgumentsProvider {
        private static final int COUNT = Integer.getInteger("fdt.directions", Direction.values().length);

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
