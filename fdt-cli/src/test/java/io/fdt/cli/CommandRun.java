package io.fdt.cli;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.security.Permission;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Runs a whole command line in this process, with everything around it faked, and keeps what it said. */
final class CommandRun {
    final FakeEngine engine = new FakeEngine();
    final FakeKeyRing keys = new FakeKeyRing();
    final FakeSignals signals = new FakeSignals();
    final List<Integer> halts = new ArrayList<>();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Map<String, String> environment = new HashMap<>(Map.of("FDT_HOME", "/nonexistent/fdt-home"));
    private byte[] input = new byte[0];
    private boolean terminal;
    private Clock clock = Clock.SYSTEM;

    CommandRun environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    CommandRun standardInput(String text) {
        input = text.getBytes(StandardCharsets.UTF_8);
        return this;
    }

    CommandRun onTerminal() {
        terminal = true;
        return this;
    }

    CommandRun clock(Clock other) {
        clock = other;
        return this;
    }

    int run(String... args) {
        return run(List.of(args));
    }

    int run(List<String> args) {
        return Main.run(args, context());
    }

    Context context() {
        return new Context(
                new Console(out, err, terminal),
                new ByteArrayInputStream(input),
                Map.copyOf(environment),
                () -> engine,
                () -> keys,
                clock,
                signals,
                code -> {
                    synchronized (halts) {
                        halts.add(code);
                        halts.notifyAll();
                    }
                },
                8,
                "1.2.3");
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    List<String> errLines() {
        return err().lines().toList();
    }

    List<Map<String, Object>> json() {
        return out().lines().map(Json::object).toList();
    }

    Map<String, Object> lastJson() {
        List<Map<String, Object>> all = json();
        return all.get(all.size() - 1);
    }

    /** Signals that a test raises. */
    static final class FakeSignals implements Signals {
        private final Map<String, Runnable> actions = new ConcurrentHashMap<>();

        @Override
        public void onSignal(String name, Runnable action) {
            actions.put(name, action);
        }

        void raise(String name) {
            Runnable action = actions.get(name);
            if (action == null) {
                throw new IllegalStateException("nobody listens for " + name);
            }
            action.run();
        }
    }

    /** Two keys, and whatever is imported. */
    static final class FakeKeyRing implements KeyRing {
        final List<KnownKey> known = new ArrayList<>(List.of(
                new KnownKey(Role.ADMITS, "default", "0011223344556677", "read and write, all roots"),
                new KnownKey(Role.IMPORTED, "dtn2", null, "")));

        @Override
        public String line(@Nullable String name) {
            return "fdt-key:" + (name == null ? "default" : name);
        }

        @Override
        public KnownKey create(String name, Permission permission, @Nullable Instant expires) {
            KnownKey key = new KnownKey(Role.ADMITS, name, "id", permission + " " + expires);
            known.add(key);
            return key;
        }

        @Override
        public KnownKey keep(String line, @Nullable String server) {
            if (!line.startsWith("fdt-key:")) {
                throw new TransferException(FailureKind.USAGE, "this is no key of fdt");
            }
            KnownKey key = new KnownKey(Role.IMPORTED, server == null ? "*" : server, "id", "");
            known.add(key);
            return key;
        }

        @Override
        public List<KnownKey> list() {
            return known;
        }

        @Override
        public boolean revoke(String name) {
            return known.removeIf(key -> key.name().equals(name));
        }
    }
}
