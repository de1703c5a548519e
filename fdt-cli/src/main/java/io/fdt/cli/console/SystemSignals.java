package io.fdt.cli.console;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Signals of this process, by {@code sun.misc.Signal}: the only way in the JDK to see a second Ctrl-C and to know which
 * signal it was. Called by reflection, for naming the class is a compiler warning that cannot be turned off. Where it
 * is missing, signals keep their usual effect.
 */
public final class SystemSignals implements Signals {
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
            // It keeps its usual effect.
        } catch (ReflectiveOperationException noSuchClass) {
            // As above.
        }
    }
}
