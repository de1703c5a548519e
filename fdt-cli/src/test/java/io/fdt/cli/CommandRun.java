package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.command.Context;
import io.fdt.cli.console.Console;
import io.fdt.cli.console.Signals;
import io.fdt.core.Json;
import io.fdt.core.basic.Clock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Runs a complete command line in this process with a fake environment, and records its output. */
public final class CommandRun {
    private static final OutputStream FULL_DISK = new OutputStream() {
        @Override
        public void write(int b) throws IOException {
            throw new IOException("No space left on device");
        }
    };

    /** A home that nobody can create. */
    private static final String NO_HOME = "/proc/fdt-home";

    public final FakeEngine engine = new FakeEngine();
    public final FakeSignals signals = new FakeSignals();
    public final List<Integer> halts = signals.halts;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Map<String, String> environment = new HashMap<>(Map.of("FDT_HOME", NO_HOME));
    private byte[] input = new byte[0];
    private boolean terminal;
    private boolean full;
    private Clock clock = Clock.SYSTEM;

    static CommandRun inHome(Path home) {
        return new CommandRun().environment("FDT_HOME", home.toString());
    }

    static List<String> words(String line) {
        return List.of(line.split(" ", -1));
    }

    public CommandRun environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    public CommandRun standardInput(String text) {
        input = text.getBytes(StandardCharsets.UTF_8);
        return this;
    }

    public CommandRun onTerminal() {
        terminal = true;
        return this;
    }

    /** Makes every write to standard output fail, as on a full disk. */
    public CommandRun toFullDisk() {
        full = true;
        return this;
    }

    public CommandRun clock(Clock other) {
        clock = other;
        return this;
    }

    public int run(String... args) {
        return run(List.of(args));
    }

    public int run(List<String> args) {
        return Main.run(args, context());
    }

    public Context context() {
        return new Context(
                new Console(full ? FULL_DISK : out, err, terminal),
                new ByteArrayInputStream(input),
                Map.copyOf(environment),
                here -> engine,
                clock,
                signals,
                8);
    }

    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    public List<String> errLines() {
        return err().lines().toList();
    }

    /** Returns the lines of the log without the time at their beginning. */
    public List<String> timedLines() {
        return errLines().stream()
                .peek(line -> assertThat(line).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z fdt: .*"))
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .toList();
    }

    public List<Map<String, Object>> json() {
        return out().lines().map(Json::object).toList();
    }

    public Map<String, Object> lastJson() {
        List<Map<String, Object>> all = json();
        return all.get(all.size() - 1);
    }

    /** Signals that a test raises. */
    public static final class FakeSignals implements Signals {
        private final Map<String, Runnable> actions = new ConcurrentHashMap<>();
        private final List<Integer> halts = new ArrayList<>();

        @Override
        public void halt(int exitCode) {
            synchronized (halts) {
                halts.add(exitCode);
                halts.notifyAll();
            }
        }

        @Override
        public void onSignal(String name, Runnable action) {
            actions.put(name, action);
        }

        public void raise(String name) {
            Runnable action = actions.get(name);
            if (action == null) {
                throw new IllegalStateException("nobody listens for " + name);
            }
            action.run();
        }
    }
}
