package io.fdt.core.transport;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An extension that fails a test class if the class leaves threads of fdt running, or work {@link InBackground} has
 * failed unseen. So a leak is found in the class that causes it, and not in a later class that counts threads.
 * Registered for every class of these tests.
 */
public final class NothingLeftBehind implements AfterAllCallback {
    private static final Set<Thread> NAMED_ALREADY = ConcurrentHashMap.newKeySet();

    @Override
    public void afterAll(ExtensionContext context) {
        if (context.getRequiredTestClass().getEnclosingClass() != null) {
            return;
        }
        Throwable unseen = InBackground.unseenFailure();
        if (unseen != null) {
            throw new AssertionError("failed on another thread, and no test asked for its result", unseen);
        }
        try {
            Await.until(
                    () -> context.getDisplayName() + " leaves threads behind: " + describe(), () -> left().isEmpty());
        } finally {
            left().forEach(thread -> NAMED_ALREADY.add(thread.getKey()));
        }
    }

    private static List<Map.Entry<Thread, StackTraceElement[]>> left() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().startsWith("fdt-"))
                .filter(thread -> !NAMED_ALREADY.contains(thread.getKey()))
                .toList();
    }

    private static String describe() {
        return left().stream()
                .map(thread ->
                        thread.getKey().getName() + ", " + thread.getKey().getState()
                                + Arrays.stream(thread.getValue())
                                        .map(frame -> "\n    at " + frame)
                                        .collect(Collectors.joining()))
                .collect(Collectors.joining("\n"));
    }
}
