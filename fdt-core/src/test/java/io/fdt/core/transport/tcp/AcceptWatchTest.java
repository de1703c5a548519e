package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.transport.AcceptFailures;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class AcceptWatchTest {
    private final List<String> warnings = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final EmbeddedChannel port =
            new EmbeddedChannel(new AcceptWatch(new AcceptFailures("the port", warnings::add, nanos::get)));

    private void fail() {
        port.pipeline().fireExceptionCaught(new IOException("Too many open files"));
        // Netty's own handler after it must see the exception too, because that handler pauses accepting.
        assertThatThrownBy(port::checkException).hasMessageContaining("Too many open files");
    }

    private void accept() {
        port.writeInbound("a connection");
        assertThat(port.<Object>readInbound()).isEqualTo("a connection");
    }

    @Test
    void reportsTheFirstFailureAndTheRecovery() {
        accept();
        assertThat(warnings).isEmpty();
        fail();
        fail();
        assertThat(warnings).singleElement().asString().contains("the port cannot accept", "Too many open files");
        accept();
        accept();
        assertThat(warnings).hasSize(2).last().asString().contains("accepts connections again");
    }

    @Test
    void fillsNoLog() {
        for (int second = 0; second < 180; second++) {
            fail();
            accept();
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        }
        assertThat(warnings).hasSize(6);
    }
}
