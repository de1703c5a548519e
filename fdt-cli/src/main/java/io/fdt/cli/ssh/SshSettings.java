package io.fdt.cli.ssh;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a remote end is started and reached.
 *
 * @param ssh the program and its first arguments
 * @param remoteCommand what runs fdt there, as that shell takes it
 * @param tunnel lanes go through the ssh connection, too
 * @param lanesHost where lanes go instead of to ssh's host, or null
 * @param lanesPort where the remote end is to listen; 0 for any
 */
public record SshSettings(
        SshHost host,
        List<String> ssh,
        String remoteCommand,
        boolean tunnel,
        @Nullable String lanesHost,
        int lanesPort) {
    public SshSettings {
        ssh = List.copyOf(ssh);
    }
}
