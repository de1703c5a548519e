package io.fdt.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

class BondHashTest {
    @SuppressWarnings("unused") // @EnabledIf refers to it by name.
    static boolean isLittleEndian() {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    }

    private static int hash(String source, int sourcePort, String target, int targetPort) throws UnknownHostException {
        return BondHash.layer34(InetAddress.getByName(source), sourcePort, InetAddress.getByName(target), targetPort);
    }

    /**
     * Computed by hand: the bytes of ports and addresses form words with the first byte lowest, which are XORed and
     * then folded.
     */
    @Test
    @EnabledIf("isLittleEndian")
    void foldsAddressesAndPortsAsTheKernelDoes() throws UnknownHostException {
        // Ports 80 01 00 50 -> 0x50000180; addresses 0a 00 00 01 and 0a 00 00 02 -> 0x03000000; together 0x53000180.
        // With >>> 16: 0x53005280, with >>> 8: 0x535352d2, half of it: 0x29a9a969.
        assertThat(hash("10.0.0.1", 0x8001, "10.0.0.2", 0x0050)).isEqualTo(0x29a9a969);
    }

    @Test
    void foldsTheFourWordsOfLongAddresses() throws UnknownHostException {
        // These words differ only in bits that cancel out: the folded addresses are the same as above.
        assertThat(hash("a00:1::", 1000, "a00:2::", 2000)).isEqualTo(hash("10.0.0.1", 1000, "10.0.0.2", 2000));
        assertThat(hash("a00:1:5:6:5:6::", 1000, "a00:2::", 2000)).isEqualTo(hash("10.0.0.1", 1000, "10.0.0.2", 2000));
    }

    @Test
    void neighbouringEvenPortsDoNotAllComeToOneOfTwoSlaves() throws UnknownHostException {
        int even = 0;
        for (int port = 40_000; port < 40_064; port += 2) {
            even += hash("10.0.0.1", port, "10.0.0.2", 27_321) % 2 == 0 ? 1 : 0;
        }
        assertThat(even).isEqualTo(16);
    }
}
