package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.KeyStore;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.ControlMessage;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the system refuses a server a thread, the server keeps no state of what it could not start. */
class ThreadLimitTest {
    @TempDir
    Path home = Path.of("unset");

    private final List<String> refusals = new CopyOnWriteArrayList<>();
    private final AtomicInteger threadsMissing = new AtomicInteger();

    private static OutOfMemoryError noThread() {
        return new OutOfMemoryError("unable to create native thread: possibly out of memory or limits reached");
    }

    private ServedNetwork network() {
        KeyStore keys = ServedNetwork.keysIn(home);
        ThreadFactory threads = task -> new Thread(task) {
            @Override
            public synchronized void start() {
                if (threadsMissing.getAndUpdate(missing -> Math.max(0, missing - 1)) > 0) {
                    throw noThread();
                }
                super.start();
            }
        };
        ServerObserver observer = new ServerObserver() {
            @Override
            public void onRefused(String peer, String why) {
                refusals.add(why);
            }
        };
        ServerLimits limits = ServerLimits.builder().sessions(1).build();
        return new ServedNetwork(
                keys, Objects.requireNonNull(keys.defaultKey()), new Ending(), observer, limits, threads);
    }

    @Test
    void aSessionWithoutAThreadLeavesItsPlaceToTheNext() throws Exception {
        try (ServedNetwork network = network()) {
            threadsMissing.set(1);
            assertThatThrownBy(network::open)
                    .asInstanceOf(type(TransferException.class))
                    .satisfies(failure -> assertThat(failure.kind().exitCode()).isEqualTo(Cause.HOST_LIMIT.exitCode()))
                    .extracting(failure -> failure.failure().reason())
                    .isEqualTo("the limit of threads is reached");
            assertThat(network.server.sessions()).isZero();
            network.open().end(null);
        }
        assertThat(refusals).contains("the limit of threads is reached");
    }

    @Test
    void aLaneWithoutAThreadIsClosed() {
        List<TransferException> aborted = new ArrayList<>();
        Lane lane = (Lane) Proxy.newProxyInstance(
                Lane.class.getClassLoader(),
                new Class<?>[] {Lane.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "start" -> throw noThread();
                    case "abort" -> {
                        aborted.add((TransferException) arguments[0]);
                        yield null;
                    }
                    case "peer" -> "192.0.2.1:7";
                    default -> throw new AssertionError("not expected: " + method.getName());
                });
        try (ServedNetwork network = network()) {
            network.server.onLane(lane);
        }
        assertThat(aborted)
                .singleElement()
                .extracting(each -> each.failure().cause())
                .isEqualTo(Cause.HOST_LIMIT);
        assertThat(refusals).containsExactly("the limit of threads is reached");
    }

    /** A service that ends as soon as its client has received the message that the session is open. */
    private static final class Ending implements Service {
        @Override
        public boolean accepts(ControlMessage open) {
            return true;
        }

        @Override
        public String describe(ControlMessage open) {
            return "a test";
        }

        @Override
        public Grant grant(ControlMessage open) {
            return new Grant(1, false, Await.LIMIT_MS);
        }

        @Override
        public Summary serve(Session session, ControlMessage open) {
            session.attach(new SessionHandler() {
                @Override
                public boolean takes(Class<? extends ControlMessage> type) {
                    return true;
                }

                @Override
                public void onMessage(ControlMessage message) {}

                @Override
                public boolean isDone() {
                    return true;
                }

                @Override
                public void onLinkClosed(@Nullable TransferException cause) {}
            });
            session.announce();
            return new Summary(
                    null,
                    new Summary.Files(0, 0, 0, 0, List.of()),
                    Summary.Bytes.of(0, new Moved(0, 0, 0, 0, 0)),
                    new Summary.Run(session.name(), 1, 0, 0, ""),
                    null,
                    null);
        }
    }
}
