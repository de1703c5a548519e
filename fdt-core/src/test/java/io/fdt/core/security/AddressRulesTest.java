package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.TransferException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRulesTest {
    @ParameterizedTest
    @CsvSource({
        "10.1.0.0/16, 10.1.255.255, true",
        "10.1.0.0/16, 10.2.0.0, false",
        "10.1.128.0/17, 10.1.127.255, false",
        "10.1.128.0/17, 10.1.128.0, true",
        "192.0.2.7, 192.0.2.7, true",
        "192.0.2.7, 192.0.2.8, false",
        "192.0.2.6/31, 192.0.2.7, true",
        "0.0.0.0/0, 203.0.113.9, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "2001:db8::/32, 2001:db8:ffff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false",
        "2001:db8::/32, 2001:db9::1, false",
        "::1, ::1, true",
        "::/0, 10.0.0.1, false",
    })
    void allowsAddressesInNetwork(String rule, String address, boolean allowed) throws UnknownHostException {
        assertThat(AddressRules.parse(List.of(rule)).allow(InetAddress.getByName(address)))
                .isEqualTo(allowed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "example.org",
                "10.0.0.1/8",
                "10.0.0.0/33",
                "10.0.0.0/",
                "10.0.0.0/-1",
                "10.0.0",
                "300.1.1.1",
                "10.0.0.0/8/8",
                "2001:db8::1/32",
                "2001:db8::/129",
                "::g",
                "fe80::1%eth0",
                "10.0.0.0 /8x"
            })
    void refusesInvalidNetwork(String rule) {
        assertThatThrownBy(() -> AddressRules.parse(List.of(rule)))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("not a network: ");
    }

    @Test
    void allowsAnyMatchingRuleOrAllWithoutRules() throws UnknownHostException {
        InetAddress somebody = InetAddress.getByName("203.0.113.9");
        assertThat(AddressRules.ANY.allow(somebody)).isTrue();
        AddressRules two = AddressRules.parse(List.of("10.0.0.0/8", "203.0.113.0/24"));
        assertThat(two.allow(somebody)).isTrue();
        assertThat(two.allow(InetAddress.getByName("203.0.114.9"))).isFalse();
    }

    /** Java itself converts such an address to IPv4, but a library may not. */
    @Test
    void treatsMappedIpv6AddressesAsIpv4() throws UnknownHostException {
        byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 1, 2, 3};
        InetAddress peer = java.net.Inet6Address.getByAddress(null, mapped, -1);
        assertThat(AddressRules.parse(List.of("10.0.0.0/8")).allow(peer)).isTrue();
        assertThat(AddressRules.parse(List.of("11.0.0.0/8")).allow(peer)).isFalse();
    }
}
