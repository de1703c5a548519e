package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.KeyStore;
import io.fdt.core.transport.Lane;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
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
        // It ends as soon as its client has received the message that the session is open.
        Service service = new TestService(1, false, (session, open) -> {
            session.attach(QuietRole.done());
            session.announce();
            return session.summary(null, 0, 0, 0);
        });
        return new ServedNetwork(keys, Objects.requireNonNull(keys.defaultKey()), service, observer, limits, threads);
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
}
