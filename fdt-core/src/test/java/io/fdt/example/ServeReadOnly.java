package io.fdt.example;

import io.fdt.core.Fdt;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.stream.ThroughputSuite;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/** A server inside another program, which only permits reading, and a log of what its clients do. */
final class ServeReadOnly {
    private ServeReadOnly() {}

    static Serving start(Fdt fdt, Path exported, Consumer<String> log) {
        ServerSettings settings = ServerSettings.of(exported)
                .readOnly()
                .listening("127.0.0.1", 0)
                .withLimits(ServerLimits.builder().sessions(8).build());
        return fdt.serve(settings, new ServerObserver() {
            @Override
            public void onSessionEnd(String session, String peer, String key, Summary summary) {
                log.accept(peer + " got " + summary.bytes().moved().sent() + " bytes");
            }

            @Override
            public void onRefused(String peer, String why) {
                log.accept("refused " + peer + ": " + why);
            }
        });
    }

    static Summary fetch(Fdt fdt, int port, String what, Path target) throws InterruptedException {
        TransferPlan plan =
                TransferPlan.pull("127.0.0.1", port, what, target).lanes(2).with(CopyValue.RATE_LIMIT, 800_000_000L);
        try (TransferJob copy = fdt.copy(plan)) {
            return copy.await();
        }
    }

    static NettestOutcome measure(Fdt fdt, int port) throws InterruptedException {
        NettestPlan plan = ThroughputSuite.plan("127.0.0.1", port, 2, Direction.OUT, Duration.ofMillis(500));
        try (NettestJob test = fdt.nettest(plan)) {
            return test.await();
        }
    }
}
