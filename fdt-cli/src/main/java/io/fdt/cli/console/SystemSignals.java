package io.fdt.cli.console;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * The signals of this process, through {@code sun.misc.Signal}: the only way in the JDK to notice a second Ctrl-C and
 * to tell signals apart. Called by reflection, because a direct use causes a compiler warning that cannot be turned
 * off. If the class is missing, signals keep their default effect.
 */
public final class SystemSignals implements Signals {
    /** How long messages may take to be written before the process ends. */
    private static final long CLOSING_MESSAGES_MS = 200;

    private final MessageStream messages;

    public SystemSignals(MessageStream messages) {
        this.messages = messages;
    }

    @Override
    public void onSignal(String name, Runnable action) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Object handler = Proxy.newProxyInstance(
                    handlerType.getClassLoader(), new Class<?>[] {handlerType}, (proxy, method, args) -> {
                        switch (method.getName()) {
                            case "handle" -> action.run();
                            case "equals" -> {
                                return proxy == args[0];
                            }
                            case "hashCode" -> {
                                return System.identityHashCode(proxy);
                            }
                            default -> {
                                return "fdt signal handler";
                            }
                        }
                        return null;
                    });
            Method handle = signalType.getMethod("handle", signalType, handlerType);
            handle.invoke(null, signalType.getConstructor(String.class).newInstance(name), handler);
        } catch (InvocationTargetException reservedByTheVirtualMachine) {
            // The signal keeps its default effect.
        } catch (ReflectiveOperationException noSuchClass) {
            // The signal keeps its default effect.
        }
    }

    @Override
    public void halt(int exitCode) {
        messages.drain(CLOSING_MESSAGES_MS);
        Runtime.getRuntime().halt(exitCode);
    }

    @Override
    public boolean ofOwnProcess() {
        return true;
    }
}
