package io.fdt.cli.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.ssh.SshHost;
import io.fdt.core.plan.RawPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressesTest {
    @ParameterizedTest
    @CsvSource({
        "dtn2, dtn2, 27321",
        "dtn2:4000, dtn2, 4000",
        "10.0.0.1:1, 10.0.0.1, 1",
        "[::1], ::1, 27321",
        "[::1]:4000, ::1, 4000",
        "[fe80::1%eth0]:4000, fe80::1%eth0, 4000",
        "dtn_2.example.org:65535, dtn_2.example.org, 65535",
    })
    void readsServers(String text, String host, int port) throws BadValueException {
        assertThat(HostPort.parse(text)).isEqualTo(new HostPort(host, port));
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:0, 127.0.0.1, 0",
        ":4000, 127.0.0.1, 4000",
        ":0, 127.0.0.1, 0",
        "4000, 127.0.0.1, 4000",
        "0.0.0.0, 0.0.0.0, 27321",
        "[::]:4000, ::, 4000",
    })
    void readsListeningAddresses(String text, String host, int port) throws BadValueException {
        assertThat(HostPort.parseListen(text)).isEqualTo(new HostPort(host, port));
    }

    @ParameterizedTest
    @CsvSource({
        "'', not an address",
        "::1, in brackets",
        "::1:4000, in brackets",
        "[::1, not an address",
        "[::1]x, not an address",
        "[dtn2]:4000, not an IPv6 address",
        "dtn2:, not a port",
        "dtn2:0, not a port",
        "dtn2:65536, not a port",
        "dtn2:http, not a port",
        "me@dtn2, a user name is not used",
        "-dtn2, not an address",
        "dtn 2, not an address",
        "dtné, not an address",
    })
    void refusesInvalidServer(String text, String why) {
        assertThatThrownBy(() -> HostPort.parse(text))
                .isInstanceOf(BadValueException.class)
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dtn2:27321", "[::1]:4000"})
    void writesAddressesAsTheyAreRead(String text) throws BadValueException {
        assertThat(HostPort.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource({
        "fdt://dtn2/data, dtn2, 27321, /data",
        "fdt://dtn2, dtn2, 27321, ''",
        "fdt://dtn2/, dtn2, 27321, /",
        "fdt://[::1]:4000//x/, ::1, 4000, //x/",
        "fdt://dtn2/a%20b?c#d, dtn2, 27321, /a%20b?c#d",
        "fdt://dtn2/-, dtn2, 27321, /-",
        "fdt://dtn2:1/dev/null, dtn2, 1, /dev/null",
    })
    void readsRemotePlacesAndTakesThePathAsItIs(String text, String host, int port, String path)
            throws BadValueException {
        assertThat(Location.parse(text)).isEqualTo(new Location(new HostPort(host, port), null, RawPath.ofText(path)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "-", "a:b", "dtn2::data/x", "/a/b:c", "fdt:/x", "http://x/y", "-odd", "FDT://x/y"})
    void treatsEverythingElseAsLocalPath(String text) throws BadValueException {
        assertThat(Location.parse(text)).isEqualTo(new Location(null, null, RawPath.ofText(text)));
    }

    @ParameterizedTest
    @CsvSource({
        "ann@dtn2:/data/x, ann, dtn2, /data/x",
        "ann@dtn2:x/y, ann, dtn2, x/y",
        "ann@dtn2:, ann, dtn2, .",
        "ann@dtn2:~, ann, dtn2, .",
        "ann@dtn2:~/x, ann, dtn2, x",
        "ann@dtn2:a:b@c, ann, dtn2, a:b@c",
        "ann@[2001:db8::7]:/x, ann, 2001:db8::7, /x",
        "dtn2:/data/x, '', dtn2, /data/x",
        "dtn2:/a@b:c, '', dtn2, /a@b:c",
        "[2001:db8::7]:/x, '', 2001:db8::7, /x",
    })
    void readsPlacesBehindSshAsRsyncDoes(String text, String user, String host, String path) throws BadValueException {
        assertThat(Location.parse(text)).isEqualTo(new Location(null, new SshHost(user, host), RawPath.ofText(path)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ann@dtn2",
                "./ann@dtn2:/x",
                "dir/ann@dtn2:x",
                "@dtn2:/x",
                "ann@:/x",
                "-oProxyCommand=x@dtn2:/x",
                "ann@-oProxyCommand=x:/x",
                "a b@dtn2:/x",
                "ann@$(x):/x",
                "ann@[dtn2]:/x",
                "ann@[::1]/x",
                "-oProxyCommand=x:/x",
                "$(x):/x",
                "[dtn2]:/x",
                "[::1]/x:/y"
            })
    void treatsUnsafeSshHostsAsLocalPaths(String text) throws BadValueException {
        assertThat(Location.parse(text)).isEqualTo(new Location(null, null, RawPath.ofText(text)));
    }

    @Test
    void doesNotExpandHomesOfOtherUsers() {
        assertThatThrownBy(() -> Location.parse("ann@dtn2:~bob/x")).hasMessageContaining("~USER is not supported");
    }

    @Test
    void refusesAnEmptyPath() {
        assertThatThrownBy(() -> Location.parse("")).hasMessageContaining("the path is empty");
    }

    @Test
    void keepsBytesThatAreNoUtf8() throws BadValueException {
        assertThat(Location.parse("fdt://h/\uDCFF").path().toBytes()).containsExactly('/', 0xFF);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "10.0.0", "::1,", "10.0.0.256", "eth0", ""})
    void refusesLocalAddressesThatAreNoLiterals(String text) {
        assertThatThrownBy(() -> LocalAddresses.parse(text)).isInstanceOf(BadValueException.class);
    }

    @Test
    void readsListsOfLocalAddresses() throws BadValueException {
        assertThat(LocalAddresses.parse("127.0.0.1,::1")).hasSize(2);
    }
}
