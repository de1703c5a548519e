package io.fdt.cli.command;

import io.fdt.cli.console.Console;
import io.fdt.cli.console.Signals;
import io.fdt.cli.engine.Engine;
import io.fdt.cli.engine.KeyRing;
import io.fdt.core.Clock;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * What a command has around it, so that a test can stand in for all of it.
 *
 * @param environment variables, bytes that are no UTF-8 as lone surrogates
 * @param engines make the engine for an environment
 * @param keyRings make the keys of an environment's home
 * @param halt ends the process at once with an exit code; only for a user who does not want to wait
 * @param cores of this machine, for the default number of lanes
 */
public record Context(
        Console console,
        InputStream standardInput,
        Map<String, String> environment,
        Function<Map<String, String>, Engine> engines,
        Function<Map<String, String>, KeyRing> keyRings,
        Clock clock,
        Signals signals,
        IntConsumer halt,
        int cores,
        String version) {
    /** Made when a command needs it, for it is the costly part of a start. */
    public Engine engine() {
        return engines.apply(environment);
    }

    /** The keys of this home. */
    public KeyRing keys() {
        return keyRings.apply(environment);
    }

    /** The same with another variable of the environment: for another home, or a key that was given. */
    public Context with(String variable, String value) {
        Map<String, String> changed = new HashMap<>(environment);
        changed.put(variable, value);
        return new Context(
                console, standardInput, Map.copyOf(changed), engines, keyRings, clock, signals, halt, cores, version);
    }
}
