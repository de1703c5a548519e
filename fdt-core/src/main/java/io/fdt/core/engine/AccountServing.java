package io.fdt.core.engine;

import io.fdt.core.budget.ServerTotals;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KeyStore;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.token.Issuers;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A process that serves the clients of one account for a server, which passes their connections to it. It does not
 * listen itself. {@code Fdt.serveAccount} starts it. Thread-safe.
 */
public interface AccountServing extends Serving {
    /** The bytes of a route that the ids of lent keys begin with. */
    int LENT_PREFIX_BYTES = 4;

    /**
     * What the server gives to the process.
     *
     * @param identity of the server
     * @param keys those that name the account, see {@link KeyStore#withoutFile}
     * @param issuers see {@link Issuers#ofAccount}
     * @param user the account that this process has
     * @param route that leads to this process
     * @param claims that it shares with the server
     * @param totals likewise
     */
    record Given(
            Identity identity,
            KeyStore keys,
            Issuers issuers,
            String user,
            byte[] route,
            ClaimLocks claims,
            ServerTotals totals) {}

    /** Serves a connection that the server has accepted, and owns its descriptor. Returns at once. */
    void adopt(int fd);

    /** The keys in the store are others now: sessions whose key has gone are ended. */
    void onKeysChanged();

    /** With what the ids of the keys begin that a process with this route lends to other servers. */
    static String lentPrefix(byte[] route) {
        return HexFormat.of().formatHex(Arrays.copyOf(route, LENT_PREFIX_BYTES));
    }
}
