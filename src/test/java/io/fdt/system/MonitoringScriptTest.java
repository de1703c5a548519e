package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.fdt.core.FreePort;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code scripts/monitoring} starts everything or nothing, and leaves nothing behind. */
@Tag("dashboards")
final class MonitoringScriptTest {
    @RegisterExtension
    final Workplace work = new Workplace();

    private Shell.Result run(int prometheus, int gateway, String... words) {
        List<String> command = new ArrayList<>(List.of(
                "env",
                "FDT_MONITORING_DIR=" + work.path("monitoring"),
                "FDT_PROMETHEUS_PORT=" + prometheus,
                "FDT_PUSHGATEWAY_PORT=" + gateway,
                Prometheus.dashboards().resolveSibling("scripts/monitoring").toString()));
        command.addAll(List.of(words));
        return Shell.run(command.toArray());
    }

    @Test
    void startsPrometheusAndTheGatewayThatItScrapes() {
        int prometheus = FreePort.next();
        int gateway = FreePort.next();
        try {
            assertThat(run(prometheus, gateway, "start", "127.0.0.1:9")
                            .orFail("start")
                            .out())
                    .contains("http://127.0.0.1:" + prometheus + "/")
                    .contains("pushgateway://127.0.0.1:" + gateway + "/JOB");
            URI targets = URI.create("http://127.0.0.1:" + prometheus + "/api/v1/targets");
            Await.until("both targets", Workplace.LIMIT, () -> {
                String known = Browser.get(targets);
                return known.contains("http://127.0.0.1:" + gateway + "/metrics")
                        && known.contains("http://127.0.0.1:9/metrics");
            });
            assertThat(run(prometheus, gateway, "status").orFail("status").out())
                    .contains("prometheus: process")
                    .contains("pushgateway: process");
        } finally {
            run(prometheus, gateway, "stop").orFail("stop");
        }
        assertThat(run(prometheus, gateway, "status").exitCode()).isEqualTo(1);
    }

    /** The response of another program on that port must not be mistaken for Prometheus or Grafana. */
    @Test
    void portInUseFailsAndLeavesNothingRunning() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            int free = FreePort.next();
            assertThat(run(port, free, "start"))
                    .returns(1, Shell.Result::exitCode)
                    .extracting(Shell.Result::err, STRING)
                    .contains("Prometheus: port " + port
                            + " is in use by another program; choose another with FDT_PROMETHEUS_PORT");
            assertThat(run(free, port, "start"))
                    .returns(1, Shell.Result::exitCode)
                    .extracting(Shell.Result::err, STRING)
                    .contains("Pushgateway: port " + port + " is in use by another program");
            assertThat(run(free, port, "status").exitCode()).isEqualTo(1);
        }
    }
}
