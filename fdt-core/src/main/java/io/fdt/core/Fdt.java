package io.fdt.core;

import io.fdt.core.control.AccountProcesses;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.AccountServing;
import io.fdt.core.engine.Connected;
import io.fdt.core.engine.Connector;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.TransferException;
import io.fdt.core.files.ListJob;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.ListPlan;
import io.fdt.core.files.Operations;
import io.fdt.core.nativecode.NativeCode;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.Running;
import io.fdt.core.security.Home;
import io.fdt.core.security.OneTimeAccess;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.security.ServerCertificate;
import io.fdt.core.security.Tokens;
import io.fdt.core.stats.JobReport;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifyPlan;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The public interface of the library: starts transfers, verifications, network tests and servers. Settings that they
 * share are given once, here: the home directory with identity and keys, and the network. Immutable.
 *
 * <p>What is started is {@link Running} on its own threads, and its {@code close} stops it if it still runs. Nothing is
 * printed, no signal is handled, and the process is never ended. See docs/library.md.
 */
public interface Fdt {
    int DEFAULT_PORT = 27_321;

    /**
     * Uses the home and the key of this user's commands: from {@code FDT_HOME} and {@code FDT_KEY}, or the defaults;
     * and for a server without a key a bearer token, where WLCG Bearer Token Discovery or HTCondor has it.
     */
    static Fdt ofUser() {
        return ofEnvironment(System.getenv());
    }

    /** Like {@link #ofUser()}, with other environment variables. */
    static Fdt ofEnvironment(Map<String, String> environment) {
        return at(Home.directory(environment))
                .withKey(environment.get(ServerAccess.ENVIRONMENT))
                .withTokensOf(environment);
    }

    /**
     * Uses the identity and the keys in a directory, which a server creates if it does not exist.
     *
     * @throws TransferException USAGE if fdt's native library cannot be loaded on this host
     */
    static Fdt at(Path home) {
        NativeCode.require();
        return new FdtEngine(new Connector(home, null, TcpSettings.DEFAULTS, RdmaUse.NONE, null, Tokens.NONE, null));
    }

    /**
     * Uses a key line, as printed by {@code fdt key show} at the server; null: keys are looked up in the home
     * directory.
     */
    Fdt withKey(@Nullable String line);

    /**
     * Uses the bearer token in a file, unless a key line is given. The file is read for each connection and once a
     * second, so that sessions outlast their token if it is renewed. The server needs a certificate for its host name;
     * null: no such file.
     */
    Fdt withToken(@Nullable Path file);

    /**
     * Trusts the authorities in a file, or in a directory with such files, for the certificates of servers that a token
     * is for; null: those that this host trusts.
     */
    Fdt withAuthorities(@Nullable Path file);

    /** Finds a bearer token for a server without a key by these variables. */
    Fdt withTokensOf(Map<String, String> environment);

    /**
     * Has servers show a certificate to clients with tokens, which trust its authority; others have pinned the server's
     * identity.
     *
     * @param shown returns it at once, or null for none; asked for each connection
     */
    Fdt withCertificate(Supplier<? extends @Nullable ServerCertificate> shown);

    Fdt withNetwork(TcpSettings settings);

    /** Uses RDMA for lanes as requested. Such lanes are clear, so plans and servers must permit that. */
    Fdt withRdma(RdmaUse use);

    /** Like {@link #copy(TransferPlan, TransferObserver)}, without an observer. */
    default TransferJob copy(TransferPlan plan) {
        return copy(plan, TransferObserver.NONE);
    }

    /** Names the server in failures so, for example {@code ann@dtn2}, instead of by its URL. */
    Fdt naming(String server);

    /**
     * Starts a transfer; a plan without a host is a copy within this host.
     *
     * @throws TransferException USAGE, REFUSED, CANNOT_CONNECT or NO_RDMA, if it cannot begin; later failures are part
     *     of the summary
     */
    TransferJob copy(TransferPlan plan, TransferObserver observer);

    /**
     * Has one server push to another, and follows the copy. The sending server must permit it ({@link
     * ServerSettings#copyingTo}) and reach the other by the same host and port; this side needs a key for each.
     *
     * @param host of the server that has the sources
     * @param push to the other server, of sources as they are at the first; no receipt, no manifest, no local addresses
     * @throws TransferException USAGE, REFUSED or CANNOT_CONNECT, if it cannot begin; later failures are part of the
     *     summary
     */
    TransferJob copyBetween(String host, int port, TransferPlan push, TransferObserver observer);

    /**
     * Like {@link #copyBetween}, but the copy does not need this process once it runs: then the job ends, and the
     * summary has the name of the copy in place of a session. {@link #jobs} finds it under this name.
     *
     * @param retryMs for how long the sending server retries it
     */
    TransferJob detach(String host, int port, TransferPlan push, long retryMs, TransferObserver observer);

    /**
     * Lists, follows or cancels the detached copies of this key at the server that sends.
     *
     * @param found receives them: all for a list, and the one that is waited for or has been cancelled
     * @param observer of a copy that is waited for; its summary is returned then
     * @throws TransferException REFUSED or CANNOT_CONNECT, if there is no key for it
     */
    TransferJob jobs(JobsPlan plan, Consumer<JobReport> found, TransferObserver observer);

    /** Like {@link #verify(VerifyPlan, VerifyObserver)}, without an observer: the summary counts the differences. */
    default VerifyJob verify(VerifyPlan plan) {
        return verify(plan, VerifyObserver.NONE);
    }

    /**
     * Starts a verification.
     *
     * @throws TransferException REFUSED or CANNOT_CONNECT, if it cannot begin
     */
    VerifyJob verify(VerifyPlan plan, VerifyObserver observer);

    /**
     * Starts a listing of what a server exports, or removes what unfinished copies left there or on this host.
     *
     * @throws TransferException REFUSED or CANNOT_CONNECT, if it cannot begin
     */
    ListJob list(ListPlan plan, ListObserver observer);

    /**
     * Returns access to a server for many jobs. Nothing connects before the first, unless the server's identity has to
     * tell which key is for it.
     *
     * @param localAddresses that the server is reached from; empty for the system's choice
     * @param timeoutMs for each step of opening a session of operations, and for a silent server
     * @param warnings receives which key is used, if that is not the one that is likely
     * @throws TransferException REFUSED or CANNOT_CONNECT, if there is no key for it, or NO_RDMA
     */
    Connected connected(
            String host, int port, List<InetAddress> localAddresses, long timeoutMs, Consumer<String> warnings);

    /**
     * Returns operations on the files of a server: looking at them, summing, making directories, moving and removing.
     * The first one connects, and all use the same session, several at once. For an empty host, on files of this host,
     * which are only looked at and summed.
     *
     * @param timeoutMs for each step of opening the session, and for a silent server
     * @param warnings receives which key is used, if that is not the one that is likely
     * @throws TransferException REFUSED or CANNOT_CONNECT, if there is no key for it
     */
    Operations operations(String host, int port, long timeoutMs, Consumer<String> warnings);

    /** Like {@link #operations(String, int, long, Consumer)}, without warnings. */
    default Operations operations(String host, int port, long timeoutMs) {
        return operations(host, port, timeoutMs, warning -> {});
    }

    /** Like {@link #nettest(NettestPlan, NettestObserver)}, without an observer. */
    default NettestJob nettest(NettestPlan plan) {
        return nettest(plan, NettestObserver.NONE);
    }

    /**
     * Starts a network test with the plan's transport; a plan over RDMA requires that this object permits RDMA.
     *
     * @throws TransferException USAGE, REFUSED, CANNOT_CONNECT or NO_RDMA, if it cannot begin
     */
    NettestJob nettest(NettestPlan plan, NettestObserver observer);

    /** Like {@link #serve(ServerSettings, ServerObserver)}, without an observer. */
    default Serving serve(ServerSettings settings) {
        return serve(settings, ServerObserver.NONE);
    }

    /**
     * Starts a server, which is ready when this returns. Creates its identity and its first key if the home has none.
     *
     * @throws TransferException USAGE, CANNOT_CONNECT or NO_RDMA, if it cannot listen or a directory cannot be exported
     */
    default Serving serve(ServerSettings settings, ServerObserver observer) {
        return serve(settings, observer, AccountProcesses.NONE);
    }

    /** The same, with processes for the keys that name an account of the host. */
    Serving serve(ServerSettings settings, ServerObserver observer, AccountProcesses accounts);

    /**
     * Starts a server for the holder of a key that no home has; the home is not used.
     *
     * @throws TransferException see {@link #serve(ServerSettings, ServerObserver)}
     */
    Serving serveOnce(ServerSettings settings, ServerObserver observer, OneTimeAccess access);

    /** Serves the clients of one account, in a process that has become that account. */
    AccountServing serveAccount(ServerSettings settings, ServerObserver observer, AccountServing.Given given);
}
