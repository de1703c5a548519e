package io.fdt.core.control;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;

/** A timer whose time never comes, without a thread. */
final class NeverDue {
    private NeverDue() {}

    static ScheduledExecutorService timer() {
        ScheduledFuture<?> never = only(ScheduledFuture.class, Map.of("cancel", true));
        return only(
                ScheduledExecutorService.class,
                Map.of(
                        "schedule",
                        never,
                        "scheduleAtFixedRate",
                        never,
                        "scheduleWithFixedDelay",
                        never,
                        "shutdownNow",
                        List.of()));
    }

    private static <T> T only(Class<T> type, Map<String, Object> results) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, words) -> switch (method.getName()) {
                    case "equals" -> self == words[0];
                    case "hashCode" -> System.identityHashCode(self);
                    default -> {
                        Object result = results.get(method.getName());
                        if (result == null) {
                            throw new AssertionError("not expected: " + method.getName());
                        }
                        yield result;
                    }
                }));
    }
}
