package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.TransferException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutboundRulesTest {
    private static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean allows(String networks, String address) {
        return OutboundRules.parse(List.of(networks.split(" "))).allow(address(address));
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.0.0/16, 10.1.255.7, true",
        "10.1.0.0/16, 10.2.0.1, false",
        "10.1.0.0/16 192.0.2.7, 192.0.2.7, true",
        "2001:db8::/32, 2001:db8::7, true",
        "2001:db8::/32, 10.1.0.1, false",
        "10.1.0.0/16, ::ffff:10.1.0.1, true",
    })
    void allowsTheNetworksThatWereNamed(String networks, String address, boolean allowed) {
        assertThat(allows(networks, address)).isEqualTo(allowed);
    }

    /** Who allows the whole internet does not mean this host, nor the metadata service of a cloud. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.255.0.1",
                "169.254.169.254",
                "::1",
                "fe80::1",
                "::ffff:127.0.0.1",
                "::ffff:169.254.169.254",
                "::127.0.0.1",
                "0.0.0.0",
                "0.0.0.7",
                "::",
                "224.0.0.1",
                "255.255.255.255",
                "ff02::1"
            })
    void aNetworkOfEverythingOpensNothingClose(String address) {
        assertThat(allows("0.0.0.0/0 ::/0", address)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.0/8, 127.0.0.1, true",
        "127.0.0.1, 127.0.0.1, true",
        "127.0.0.1, 127.0.0.2, false",
        "::1, ::1, true",
        "169.254.0.0/16, 169.254.169.254, true",
        "fe80::/10, fe80::1, true",
        "126.0.0.0/7, 127.0.0.1, false",
        "0.0.0.0, 0.0.0.0, false",
        "224.0.0.0/4, 224.0.0.1, false",
    })
    void whatIsCloseIsOpenedByItsOwnNameOnly(String network, String address, boolean allowed) {
        assertThat(allows(network, address)).isEqualTo(allowed);
    }

    @Test
    void withoutNetworksItAllowsNobody() {
        assertThat(OutboundRules.NONE.isNone()).isTrue();
        assertThat(OutboundRules.NONE.allow(address("192.0.2.7"))).isFalse();
    }

    @Test
    void looksNoNameUp() {
        assertThatThrownBy(() -> OutboundRules.parse(List.of("dtn2.example.org")))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("names are not looked up");
    }
}
