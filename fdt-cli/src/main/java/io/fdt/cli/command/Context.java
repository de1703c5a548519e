package io.fdt.cli.command;

import io.fdt.cli.console.Console;
import io.fdt.cli.console.Signals;
import io.fdt.cli.engine.CoreEngine;
import io.fdt.cli.engine.Engine;
import io.fdt.cli.engine.HomeKeyRing;
import io.fdt.cli.engine.KeyRing;
import io.fdt.core.Clock;
import io.fdt.core.security.Home;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * What a command has around it, so that a test can stand in for all of it.
 *
 * @param environment variables, bytes that are no UTF-8 as lone surrogates
 * @param engine made when a command needs it, for it is the costly part of a start
 * @param keys made when a command needs them
 * @param halt ends the process at once with an exit code; only for a user who does not want to wait
 * @param cores of this machine, for the default number of lanes
 */
public record Context(
        Console console,
        InputStream standardInput,
        Map<String, String> environment,
        Supplier<Engine> engine,
        Supplier<KeyRing> keys,
        Clock clock,
        Signals signals,
        IntConsumer halt,
        int cores,
        String version) {
    /** The same with identity and keys of another home. */
    public Context inHome(Path home) {
        return new Context(
                console,
                standardInput,
                environment,
                () -> new CoreEngine(home, environment),
                () -> new HomeKeyRing(home),
                clock,
                signals,
                halt,
                cores,
                version);
    }

    /** The same for a client that has been given its key. */
    public Context admittedBy(String keyLine) {
        Map<String, String> with = new HashMap<>(environment);
        with.put(CoreEngine.KEY_VARIABLE, keyLine);
        return new Context(
                console,
                standardInput,
                with,
                () -> new CoreEngine(Home.directory(with), with),
                keys,
                clock,
                signals,
                halt,
                cores,
                version);
    }
}
