package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Lanes that are pinned to cores, at both ends. */
class PinTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    /** Returns the last core that this process and its children may use. */
    private static long lastCore() throws IOException {
        String list = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .findFirst()
                .orElseThrow();
        String[] numbers = list.strip().split("[^0-9]+", -1);
        return Long.parseLong(numbers[numbers.length - 1]);
    }

    @Test
    @SuppressWarnings("unchecked")
    void pinnedLanesRunOnTheGivenCore() throws IOException {
        long core = lastCore();
        FdtServer server = at.rootlessServer("127.0.0.1:0", at.directory(), "--pin", core);
        Outcome outcome = at.fdt(
                        "nettest",
                        "--json",
                        "-P",
                        2,
                        "--duration",
                        "1500ms",
                        "--pin",
                        core,
                        server.host() + ":" + server.port())
                .expectExit(0);

        List<Map<String, Object>> streams =
                (List<Map<String, Object>>) outcome.jsonOfType("result").get(0).get("per_stream");
        assertThat(streams).hasSize(2).allSatisfy(stream -> {
            assertThat(stream).containsEntry("core", core).containsEntry("sender_core", core);
            // Over loopback, data is received on the core that sends it.
            assertThat(stream).containsEntry("incoming_core", core);
            assertThat(stream.get("incoming_napi_id")).isInstanceOf(Long.class);
        });
    }

    @Test
    void coreThatIsNotThereIsRefused() {
        at.fdt("server", "--listen", "127.0.0.1:0", "--root", at.directory(), "--pin", 9999)
                .expectExit(2);
    }
}
