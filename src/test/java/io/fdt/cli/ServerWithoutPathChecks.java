package io.fdt.cli;

import io.fdt.cli.command.Context;
import io.fdt.cli.console.Console;
import io.fdt.cli.console.MessageStream;
import io.fdt.cli.console.SystemSignals;
import io.fdt.core.Fdt;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ExportedRoots;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;

/**
 * The server of fdt as a process, with all checks of paths broken at once: its options say what it exports, and it
 * serves the whole file system.
 */
public final class ServerWithoutPathChecks {
    private ServerWithoutPathChecks() {}

    public static void main(String[] args) {
        MessageStream messages = new MessageStream(new FileOutputStream(FileDescriptor.err));
        Console console = new Console(new FileOutputStream(FileDescriptor.out), messages, false);
        Context real =
                Main.context(console, InputStream.nullInputStream(), System.getenv(), new SystemSignals(messages));
        Context broken = new Context(
                real.console(),
                real.standardInput(),
                real.environment(),
                here -> broken(Fdt.ofEnvironment(here)),
                real.clock(),
                real.signals(),
                real.cores());
        System.exit(Main.run(List.of(args), broken));
    }

    private static Fdt broken(Fdt fdt) {
        return (Fdt) Proxy.newProxyInstance(
                Fdt.class.getClassLoader(), new Class<?>[] {Fdt.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("serve")) {
                        arguments[0] = ofEverything((ServerSettings) arguments[0]);
                    }
                    try {
                        Object result = method.invoke(fdt, arguments);
                        return result instanceof Fdt changed ? broken(changed) : result;
                    } catch (InvocationTargetException failed) {
                        throw Objects.requireNonNull(failed.getCause());
                    }
                });
    }

    private static ServerSettings ofEverything(ServerSettings settings) {
        return new ServerSettings(
                settings.address(),
                new ExportedRoots(List.of(RawPath.ROOT), false),
                settings.limits(),
                settings.transferLimits(),
                settings.objects(),
                settings.outbound(),
                settings.tokens());
    }
}
