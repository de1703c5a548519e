package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.tcp.ConnectionLimits.Connection;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which connections are evicted when there are too many that are not admitted. */
class ConnectionLimitsTest {
    private static final String FLOOD = "192.0.2.1";
    private static final String HONEST = "198.51.100.7";

    private final List<String> evicted = new ArrayList<>();
    private long now;
    private final ConnectionLimits limits = new ConnectionLimits(8, 100, () -> now);

    private Connection enter(String address, String name) throws UnknownHostException {
        return limits.enter(InetAddress.getByName(address), () -> evicted.add(name));
    }

    @Test
    void closesOldestSilentConnectionOfLargestNetwork() throws Exception {
        enter(HONEST, "honest");
        for (int i = 0; i < 4; i++) {
            enter(FLOOD, "flood " + i);
        }
        for (int i = 0; i < 4; i++) {
            enter("203.0.113." + i, "other " + i);
        }
        assertThat(limits.unadmitted()).isEqualTo(8);
        assertThat(evicted).containsExactly("flood 0");
    }

    @Test
    void networkIsLimitedToHalfOfConnections() throws Exception {
        for (int i = 0; i < 100; i++) {
            enter(FLOOD, "flood " + i);
        }
        assertThat(limits.unadmitted()).isEqualTo(4);
        assertThat(evicted).hasSize(96).startsWith("flood 0", "flood 1");
    }

    @Test
    void closesSilentConnectionsFirst() throws Exception {
        Connection unproven = enter(FLOOD, "unproven");
        assertThat(unproven.awaitProof(false)).isTrue();
        enter(FLOOD, "speaking").speaks();
        enter(FLOOD, "silent 1");
        enter(FLOOD, "silent 2");
        for (int i = 0; i < 4; i++) {
            enter(FLOOD, "later").speaks();
        }
        assertThat(evicted).containsExactly("silent 1", "silent 2", "speaking", "later");
    }

    @Test
    void newTlsConnectionIsNotReplaced() throws Exception {
        for (int i = 0; i < 4; i++) {
            assertThat(enter(FLOOD, "unproven " + i).awaitProof(true)).isTrue();
        }
        assertThat(enter(FLOOD, "one more")).isNull();
        assertThat(evicted).isEmpty();
        assertThat(enter(HONEST, "honest")).as("there is room for others").isNotNull();

        now += TimeUnit.SECONDS.toNanos(2);
        assertThat(enter(FLOOD, "one more")).isNotNull();
        assertThat(evicted).containsExactly("unproven 0");
    }

    @Test
    void admittedAndClosedConnectionsAreNotCounted() throws Exception {
        for (int i = 0; i < 50; i++) {
            Connection admitted = enter(FLOOD, "admitted");
            admitted.awaitProof(true);
            admitted.admitted();
            Connection left = enter(FLOOD, "left");
            left.leave();
            left.leave();
            assertThat(left.awaitProof(true)).isFalse();
        }
        assertThat(evicted).isEmpty();
        assertThat(limits.unadmitted()).isZero();
        assertThat(limits.connections()).isEqualTo(50);
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8::1, 2001:db8::ffff:1, true",
        "2001:db8::1, 2001:db8:0:1::1, false",
        "192.0.2.1, 192.0.2.2, false"
    })
    void ipv6NetworkHas64Bits(String one, String other, boolean same) throws Exception {
        for (int i = 0; i < 4; i++) {
            enter(one, "one");
        }
        enter(other, "other");
        assertThat(evicted).hasSize(same ? 1 : 0);
    }
}
