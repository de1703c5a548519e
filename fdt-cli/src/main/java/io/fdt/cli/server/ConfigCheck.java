package io.fdt.cli.server;

import io.fdt.cli.key.KeyRing;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.Location;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.RawPath;
import io.fdt.core.token.Issuers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code --check-config}: what would keep a server with these settings from starting, or its clients from writing, for
 * the user of this process. Changes nothing, and does not look whether the port is free: a server may be running.
 */
final class ConfigCheck {
    private ConfigCheck() {}

    /** Returns what the server would do; throws the failure that it would end with. */
    static String check(
            HostPort listen,
            ServerSettings server,
            List<TransferLogPlace> transferLogs,
            KeyRing keys,
            @Nullable ShownCertificate certificate) {
        if (server.address().isUnresolved()) {
            throw Cause.USAGE.failure("--listen: unknown host " + listen.host());
        }
        server.requirePresent();
        Issuers.requireUsable(server.tokens());
        for (RawPath root : server.roots().directories()) {
            Path directory = Location.localOrNull(root.text());
            if (directory != null && !server.roots().isReadOnly() && !Files.isWritable(directory)) {
                throw Cause.PERMISSION.failure("--root " + root + ": this user cannot write there");
            }
        }
        for (TransferLogPlace place : transferLogs) {
            Path file = place.file();
            Path written = file == null || Files.exists(file)
                    ? file
                    : file.toAbsolutePath().getParent();
            if (file != null && (written == null || !Files.isWritable(written))) {
                throw Cause.NO_RECORD.failure("--transfer-log " + file + ": this user cannot write it");
            }
        }
        keys.expiries();
        StringBuilder text = new StringBuilder("fdt: the settings are valid: listens on ").append(listen);
        String verb = server.roots().isReadOnly() ? ", exports for reading " : ", exports ";
        for (RawPath root : server.roots().directories()) {
            text.append(verb).append(root);
            verb = ", ";
        }
        text.append(server.roots().directories().isEmpty() ? ", exports nothing" : "");
        server.tokens().issuers().forEach(issuer -> text.append(", trusts ").append(issuer.url()));
        return certificate == null
                ? text.toString()
                : text.append(", shows a certificate that expires at ")
                        .append(certificate.get().ends())
                        .toString();
    }
}
