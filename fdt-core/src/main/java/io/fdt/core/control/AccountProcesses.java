package io.fdt.core.control;

import io.fdt.core.budget.ServerTotals;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AccessKey;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.token.TokenSettings;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The processes of this server that read and write as other accounts of this host. A client whose key names an account
 * proves its key here, and is then served by that account's process, to which its connections are passed before a byte
 * of their TLS is read. Thread-safe; methods return at once.
 */
public interface AccountProcesses {
    /** For a server that serves only as its own account. */
    AccountProcesses NONE = new AccountProcesses() {};

    /** Whether this process has that account already. */
    default boolean isOwn(String user) {
        return user.equals(System.getProperty("user.name"));
    }

    /**
     * Starts the process for this key if there is none, and reports its route or why there is none, on any thread.
     *
     * @param token which became the key, and which that process then accepts as well; empty if it is no token
     */
    default void find(AccessKey key, String token, Consumer<byte[]> found, Consumer<TransferException> refused) {
        refused.accept(Cause.REFUSED.failure("the key " + key.name() + " reads and writes as the account "
                + key.permission().user() + ", and this server cannot: the operator has to run it as root"));
    }

    /** The route to the process that has lent a key with this id; null if none has. */
    default byte @Nullable [] lender(String keyId) {
        return null;
    }

    /** Passes a connection to a process. Returns true if it has taken the descriptor. */
    default boolean pass(byte[] route, int fd) {
        return false;
    }

    /** Shows what the sessions of each process write to those of the others. */
    default ClaimLocks claims() {
        return new ClaimLocks();
    }

    /** What this process and the others hold. */
    default ServerTotals totals() {
        return new ServerTotals();
    }

    /** The keys or issuers of this server may have changed, or are read for the first time. */
    default void onRead(Map<String, AccessKey> byId, TokenSettings trusted) {}
}
