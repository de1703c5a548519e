package io.fdt.cli.command;

import io.fdt.cli.console.Console;
import io.fdt.cli.console.Signals;
import io.fdt.core.Fdt;
import io.fdt.core.basic.Clock;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The environment in which a command runs, so that a test can replace all of it.
 *
 * @param environment the environment variables; bytes that are not UTF-8 appear as lone surrogates
 * @param cores of this machine, for the default number of lanes
 */
public record Context(
        Console console,
        InputStream standardInput,
        Map<String, String> environment,
        Function<Map<String, String>, Fdt> library,
        Clock clock,
        Signals signals,
        int cores) {
    /** Returns the library with the home and the key of this environment. */
    public Fdt fdt() {
        return library.apply(environment);
    }

    /** Returns a copy with one environment variable changed, for another home or for a given key. */
    public Context with(String variable, String value) {
        Map<String, String> changed = new HashMap<>(environment);
        changed.put(variable, value);
        return new Context(console, standardInput, Map.copyOf(changed), library, clock, signals, cores);
    }
}
