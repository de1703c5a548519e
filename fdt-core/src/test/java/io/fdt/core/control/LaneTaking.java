package io.fdt.core.control;

import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.ControlMessage;
import java.lang.reflect.Proxy;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * One side of a session that ignores its messages.
 *
 * @param handlers of its lanes, by number and attempt
 */
record LaneTaking(BiFunction<Integer, Integer, LaneHandler> handlers) implements SessionHandler {
    /** A call on a lane, by its name. */
    interface Calls {
        /** Returns what the lane returns; null for nothing. A method without parameters gets no arguments. */
        @Nullable Object on(Lane self, String method, Object[] arguments);
    }

    /** A lane with TLS that moves nothing. */
    static Lane lane(Calls calls) {
        return (Lane) Proxy.newProxyInstance(
                Lane.class.getClassLoader(),
                new Class<?>[] {Lane.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "isClear" -> false;
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> calls.on((Lane) proxy, method.getName(), arguments);
                });
    }

    @Override
    public LaneHandler onLane(int index, int attempt, Lane lane) {
        return handlers.apply(index, attempt);
    }

    @Override
    public void onMessage(ControlMessage message) {}

    @Override
    public boolean takes(Class<? extends ControlMessage> type) {
        return true;
    }

    @Override
    public boolean isDone() {
        return true;
    }

    @Override
    public void onLinkClosed(@Nullable TransferException cause) {}
}
