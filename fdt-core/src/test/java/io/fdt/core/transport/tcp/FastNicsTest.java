package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FastNicsTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "25000, always [madvise] never, true",
        "100000, [always] madvise never, true",
        "400000, always [madvise] never, true",
        "24999, always [madvise] never, false",
        "10000, [always] madvise never, false",
        "-1, [always] madvise never, false",
        "100000, always madvise [never], false",
    })
    void nicOf25GigabitsIsFastWithHugePages(int megabits, String hugePages, boolean expected) throws IOException {
        speed("nic1", Integer.toString(megabits));

        assertThat(fastNics(hugePages).hasSome()).isEqualTo(expected);
    }

    @Test
    void oneFastNicAmongMany() throws IOException {
        speed("nic1", "1000");
        Files.createDirectories(directory.resolve("nics/lo"));
        speed("nic2", "100000");

        assertThat(fastNics("[always]").hasSome()).isTrue();
    }

    @Test
    void hostWithoutNicsOrHugePagesHasNone() throws IOException {
        speed("nic1", "100000");

        assertThat(new FastNics(directory.resolve("none"), directory.resolve("none")).hasSome())
                .isFalse();
        assertThat(new FastNics(directory.resolve("nics"), directory.resolve("none")).hasSome())
                .isFalse();
    }

    @Test
    void loopbackIsNeverFast() throws IOException {
        speed("lo", "100000");

        FastNics nics = fastNics("[always]");

        assertThat(nics.hasSome()).isTrue();
        assertThat(nics.has(InetAddress.getLoopbackAddress())).isFalse();
    }

    @Test
    void addressIsAsFastAsItsNic() throws IOException {
        NetworkInterface nic = nicOfThisHost();
        InetAddress address = nic.getInetAddresses().nextElement();
        speed("other", "100000");

        speed(nic.getName(), "10000");
        assertThat(fastNics("[always]").has(address)).isFalse();

        speed(nic.getName(), "100000");
        FastNics nics = fastNics("[always]");
        assertThat(nics.has(address)).isTrue();

        // It is looked up once.
        speed(nic.getName(), "10000");
        assertThat(nics.has(address)).isTrue();
    }

    private static NetworkInterface nicOfThisHost() throws SocketException {
        Optional<NetworkInterface> found = Collections.list(NetworkInterface.getNetworkInterfaces()).stream()
                .filter(nic -> nic.getInetAddresses().hasMoreElements())
                .filter(nic -> !nic.getInetAddresses().nextElement().isLoopbackAddress())
                .findFirst();
        assumeTrue(found.isPresent(), "this host has no address but that of loopback");
        return found.orElseThrow();
    }

    private void speed(String nic, String megabits) throws IOException {
        Path of = Files.createDirectories(directory.resolve("nics").resolve(nic));
        Files.writeString(of.resolve("speed"), megabits + "\n");
    }

    private FastNics fastNics(String hugePages) throws IOException {
        Path chosen = Files.writeString(directory.resolve("enabled"), hugePages + "\n");
        return new FastNics(directory.resolve("nics"), chosen);
    }
}
