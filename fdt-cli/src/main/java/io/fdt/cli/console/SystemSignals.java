package io.fdt.cli.console;

import java.lang.invoke.LambdaConversionException;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

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
            Method handle = signalType.getMethod("handle", signalType, handlerType);
            Object signal = signalType.getConstructor(String.class).newInstance(name);
            handle.invoke(null, signal, handler(signalType, handlerType, action));
        } catch (InvocationTargetException reservedByTheVirtualMachine) {
            // The signal keeps its default effect.
        } catch (ReflectiveOperationException | LambdaConversionException noSuchClass) {
            // The signal keeps its default effect.
        }
    }

    /** Makes what a lambda would be. A proxy would take a start twice the time. */
    private static Object handler(Class<?> signalType, Class<?> handlerType, Runnable action)
            throws ReflectiveOperationException, LambdaConversionException {
        MethodHandles.Lookup here = MethodHandles.lookup();
        MethodType onSignal = MethodType.methodType(void.class, signalType);
        MethodHandle run = here.findStatic(
                SystemSignals.class, "run", MethodType.methodType(void.class, Runnable.class, Object.class));
        MethodHandle making = LambdaMetafactory.metafactory(
                        here, "handle", MethodType.methodType(handlerType, Runnable.class), onSignal, run, onSignal)
                .getTarget();
        try {
            return making.invoke(action);
        } catch (Throwable mistake) {
            throw new IllegalStateException("a lambda cannot fail to be made", mistake);
        }
    }

    /** Called by the handler. */
    @SuppressWarnings("unused") // Called by its name.
    private static void run(Runnable action, Object signal) {
        action.run();
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
