package io.fdt.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.CommandRun;
import io.fdt.cli.ssh.SshHost;
import io.fdt.cli.ssh.SshSettings;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RemoteEndTest {
    /** An ssh that reaches the other host once. */
    private static final String ONCE = """
            #!/bin/sh
            if [ -e "$0.used" ]; then exit 255; fi
            touch "$0.used"
            echo "fdt-over-ssh 1 40000 2f746d70 fdt-key:x"
            cat >/dev/null
            """;

    @TempDir
    Path directory;

    /** Otherwise the advice for a server that cannot be reached would follow a failure of ssh. */
    @Test
    void hasNoServerWhereSshCouldNotStartItAgain() throws IOException {
        Path ssh = Files.writeString(directory.resolve("ssh"), ONCE);
        assertThat(ssh.toFile().setExecutable(true)).isTrue();
        SshSettings settings = new SshSettings(
                new SshHost("", "dtn2"),
                List.of(ssh.toString()),
                "fdt",
                false,
                InetSocketAddress.createUnresolved("127.0.0.1", 0),
                false,
                false);
        try (RemoteEnd remoteEnd = new RemoteEnd(settings)) {
            remoteEnd.start(new CommandRun().context());
            assertThat(remoteEnd.at(null)).isNotNull();
            assertThatThrownBy(() -> remoteEnd.start(new CommandRun().context()))
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("ssh could not reach dtn2");
            assertThat(remoteEnd.at(null)).isNull();
        }
    }

    /** Its launcher must know that before the client's first message. */
    @ParameterizedTest
    @CsvSource({"xxh3, --for-ssh", "sha256, --for-ssh=hashing"})
    void tellsWhetherJavaComputesTheHash(String digest, String expected) throws IOException {
        Path ssh =
                Files.writeString(directory.resolve("ssh"), "#!/bin/sh\n[ $1 = -G ] || echo $* >$0.words\nexit 255\n");
        assertThat(ssh.toFile().setExecutable(true)).isTrue();
        new CommandRun().run("client", "--ssh", ssh.toString(), "--digest", digest, ssh.toString(), "dtn2:/there");
        assertThat(directory.resolve("ssh.words")).content().contains("server " + expected + " ");
    }
}
