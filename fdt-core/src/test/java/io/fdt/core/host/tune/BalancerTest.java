package io.fdt.core.host.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process of the test takes the place of an irqbalance that systemd did not start. */
class BalancerTest {
    private final Balancer balancer = new Balancer.ThisHost();
    private Process process;
    private String way;

    @BeforeEach
    void start() throws IOException {
        process = new ProcessBuilder("sleep", "300").start();
        way = balancer.way((int) process.pid());
        assumeTrue(way.startsWith("process "), "a real irqbalance runs here and is not to be touched");
    }

    @AfterEach
    void stop() {
        process.destroyForcibly();
    }

    private boolean comesToBe(char state) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Await.LIMIT_SECONDS);
        while (System.nanoTime() < deadline) {
            if (state() == state) {
                return true;
            }
            LockSupport.parkNanos(1_000_000);
        }
        return false;
    }

    private char state() {
        try {
            String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException ended) {
            return '-';
        }
    }

    @Test
    void freezesAndThawsIt() throws IOException {
        balancer.stop(way);
        assertThat(comesToBe('T')).isTrue();

        balancer.resume(way);
        assertThat(comesToBe('S')).isTrue();
    }

    @Test
    void leavesAProcessAloneThatOnlyHasItsNumber() throws IOException {
        balancer.stop(way);
        assertThat(comesToBe('T')).isTrue();

        balancer.resume("process " + process.pid() + " 1");

        assertThat(state()).isEqualTo('T');
    }
}
