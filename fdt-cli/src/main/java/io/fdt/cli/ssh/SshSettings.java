package io.fdt.cli.ssh;

import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How to start a remote end and connect to it.
 *
 * @param ssh the program and its first arguments
 * @param remoteCommand runs fdt on the remote host, in the syntax of the shell there
 * @param tunnel whether lanes use the ssh connection
 * @param lanes to which lanes connect instead of to ssh's host, or null; port 0 is any free port
 * @param bootstrap whether this fdt is brought there first, in place of {@code remoteCommand}
 * @param hashing whether Java itself computes hashes there
 */
public record SshSettings(
        SshHost host,
        List<String> ssh,
        String remoteCommand,
        boolean tunnel,
        @Nullable InetSocketAddress lanes,
        boolean bootstrap,
        boolean hashing) {
    public SshSettings {
        ssh = List.copyOf(ssh);
    }

    SshSettings with(String command) {
        return new SshSettings(host, ssh, command, tunnel, lanes, false, hashing);
    }
}
