package io.fdt.core.basic;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AddressesTest {
    /** The examples of RFC 5952, and the ends of an address. */
    @ParameterizedTest
    @CsvSource({
        "192.0.2.7, 192.0.2.7",
        "0:0:0:0:0:0:0:1, ::1",
        "0:0:0:0:0:0:0:0, ::",
        "2001:0DB8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:db8:0:0:0:0:2:1, 2001:db8::2:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "fe80:0:0:0:0:0:0:0, fe80::",
        "1:2:3:4:5:6:0:0, 1:2:3:4:5:6::",
        "0:0:3:4:5:6:7:8, ::3:4:5:6:7:8",
        "fe80::1%1, fe80::1%1"
    })
    void areInTheirShortForm(String written, String shown) throws UnknownHostException {
        assertThat(Addresses.shown(InetAddress.getAllByName(written)[0])).isEqualTo(shown);
    }

    @Test
    void haveAPort() throws UnknownHostException {
        assertThat(Addresses.shown(new InetSocketAddress(InetAddress.getByAddress(new byte[16]), 7)))
                .isEqualTo("[::]:7");
        assertThat(Addresses.shown(new InetSocketAddress(InetAddress.getByAddress("dtn", new byte[] {1, 2, 3, 4}), 7)))
                .isEqualTo("dtn:7");
        assertThat(Addresses.shown(InetSocketAddress.createUnresolved("dtn", 7)))
                .isEqualTo("dtn:7");
        assertThat(Addresses.shown((SocketAddress) null)).isEqualTo("an unknown address");
    }
}
