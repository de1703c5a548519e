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
    void allowsNamedNetworks(String networks, String address, boolean allowed) {
        assertThat(allows(networks, address)).isEqualTo(allowed);
    }

    /** A rule for the whole internet includes neither this host nor the metadata service of a cloud. */
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
    void networkOfAllDoesNotAllowLocalAddresses(String address) {
        assertThat(allows("0.0.0.0/0 ::/0", address)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.0/8, 127.0.0.1, true",
        "127.0.0.1, 127.0.0.1, true",
        "127.0.0.1, 127.0.0.2, false",
        "::1, ::1, true",
        "169.254.0.0/16, 169.254.7.1, true",
        "fe80::/10, fe80::1, true",
        "126.0.0.0/7, 127.0.0.1, false",
        "0.0.0.0, 0.0.0.0, false",
        "224.0.0.0/4, 224.0.0.1, false",
    })
    void localAddressesMustBeNamed(String network, String address, boolean allowed) {
        assertThat(allows(network, address)).isEqualTo(allowed);
    }

    /**
     * Nobody copies data to these addresses, so not even a rule that names one allows it. A neighbour stays reachable.
     */
    @ParameterizedTest
    @CsvSource({
        "169.254.169.254, 169.254.168.254",
        "169.254.170.2, 169.254.171.2",
        "192.0.0.192, 192.0.2.192",
        "100.100.100.200, 100.100.100.201",
        "168.63.129.16, 168.63.129.17",
        "fd00:ec2::254, fd00:ec3::254",
        "fd20:ce::254, fd20:ce::255",
        "fd00:42::42, fd00:42::43",
        "64:ff9b:1::a00:1, 64:ff9b:2::a00:1",
    })
    void neverAllowsMetadataServices(String refused, String neighbour) {
        assertThat(allows(refused, refused)).isFalse();
        assertThat(allows("0.0.0.0/0 ::/0 " + refused, refused)).isFalse();
        assertThat(allows(neighbour, neighbour)).isTrue();
    }

    /** A gateway forwards the connection to the embedded IPv4 address, so that address must be allowed too. */
    @ParameterizedTest
    @CsvSource({
        // NAT64
        "64:ff9b::7f00:1, 64:ff9b::a9fe:a9fe, 64:ff9b::6464:64c8, 64:ff9b::a00:1, 64:ff9b::c000:207",
        // 6to4
        "2002:7f00:1::, 2002:a9fe:a9fe::1, 2002:6464:64c8::, 2002:a00:1::, 2002:c000:207::1",
        // ISATAP, with an address marked as local and one marked as global
        "2001:db8::5efe:7f00:1, 2001:db8::200:5efe:a9fe:a9fe, 2001:db8::5efe:6464:64c8,"
                + " 2001:db8::200:5efe:a00:1, 2001:db8::5efe:c000:207",
        // Teredo: 192.0.2.7 is the server in all of them, and the client in the last one
        "2001:0:c000:207::80ff:fffe, 2001:0:c000:207::5601:5601, 2001:0:c000:207::9b9b:9b37,"
                + " 2001:0:c000:207::f5ff:fffe, 2001:0:c000:207::3fff:fdf8",
        // Translated
        "::ffff:0:7f00:1, ::ffff:0:a9fe:a9fe, ::ffff:0:6464:64c8, ::ffff:0:a00:1, ::ffff:0:c000:207",
    })
    void checksEmbeddedIpv4Addresses(String loopback, String link, String metadata, String elsewhere, String named) {
        for (String refused : List.of(loopback, link, metadata)) {
            assertThat(allows("0.0.0.0/0 ::/0", refused)).as(refused).isFalse();
            assertThat(allows(refused, refused)).as(refused).isFalse();
        }
        assertThat(allows("192.0.2.0/24 ::/0", elsewhere)).as(elsewhere).isFalse();
        assertThat(allows("192.0.2.0/24 ::/0", named)).as(named).isTrue();
        assertThat(allows("192.0.2.0/24 " + named, named)).as(named).isTrue();
        assertThat(allows("192.0.2.0/24", named)).as("in no network by itself").isFalse();
    }

    @Test
    void allowsNothingWithoutNetworks() {
        assertThat(OutboundRules.NONE.isNone()).isTrue();
        assertThat(OutboundRules.NONE.allow(address("192.0.2.7"))).isFalse();
    }

    @Test
    void resolvesNoNames() {
        assertThatThrownBy(() -> OutboundRules.parse(List.of("dtn2.example.org")))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("host names are not supported here");
    }
}
