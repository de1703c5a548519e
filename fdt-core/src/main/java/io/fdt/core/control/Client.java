package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Pauses;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.BearerToken;
import io.fdt.core.security.Credential;
import io.fdt.core.security.Permission;
import io.fdt.core.security.Secret;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.security.SessionProof;
import io.fdt.core.security.TokenAccess;
import io.fdt.core.transport.Links;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of the handshake: from an address and a key or token to an open session, and back to it after a
 * link was lost.
 */
public final class Client implements AutoCloseable {
    private static final Pauses PAUSE_MS = new Pauses(50, 1_000);
    private static final byte[] NO_ROUTE = {};

    /** A link that was left longer ago is not used again: the server soon closes it. */
    static final long LEFT_NANOS = TimeUnit.MILLISECONDS.toNanos(Handshake.NEXT_MS) / 2;

    /** How often a server may send a client to another of its processes for one attempt. */
    private static final int MAX_SENT = 4;

    private final Links links;
    private final Credential access;
    private final @Nullable String place;
    private final String software;
    private final Clock clock;
    private final ScheduledExecutorService timer = Timers.newTimer();
    /** What servers make this client hold. */
    private final Budget budget = Budgets.ofProcess();
    /** Also guards what follows. */
    private final List<Left> left = new ArrayList<>();

    private boolean closed;
    private @Nullable TokenWatch tokens;

    /** @param place of failures at the server; null for its URL */
    public Client(Links links, Credential access, String software, Clock clock, @Nullable String place) {
        this.links = links;
        this.place = place;
        this.access = access;
        this.software = software;
        this.clock = clock;
    }

    /** Resolves the address of a server; throws CANNOT_CONNECT for an unknown host. */
    public static InetSocketAddress resolved(String host, int port) {
        InetSocketAddress server = new InetSocketAddress(host, port);
        if (server.isUnresolved()) {
            throw Cause.UNKNOWN_HOST.failure("unknown host " + host);
        }
        return server;
    }

    /** Opens a session. Blocks until the server has granted it, or throws the reason why it failed. */
    public Session open(
            InetSocketAddress server, @Nullable InetSocketAddress localAddress, ControlMessage request, long timeoutMs)
            throws InterruptedException {
        return open(server, localAddress, List.of(), request, timeoutMs, timeoutMs);
    }

    /**
     * Opens a session, and first sends names that do not fit into the request.
     *
     * @param timeoutMs for each step of opening the session, and of every new connection of its channel
     * @param patienceMs how long the session survives a silent server
     */
    public Session open(
            InetSocketAddress server,
            @Nullable InetSocketAddress localAddress,
            List<TransferMessage.SourceNames> names,
            ControlMessage request,
            long timeoutMs,
            long patienceMs)
            throws InterruptedException {
        Peer peer = new Peer(server, localAddress);
        return whereSent(
                () -> request(admit(server, localAddress, timeoutMs), peer, names, request, timeoutMs, patienceMs));
    }

    /**
     * Opens the session of a copy. If another session has left a link to the server, this one uses it. Where that link
     * proves dead, the request is made again on another one: a server copies nothing before its client knows that the
     * session is open.
     */
    public Session openCopy(
            InetSocketAddress server,
            @Nullable InetSocketAddress localAddress,
            List<TransferMessage.SourceNames> names,
            ControlMessage request,
            long timeoutMs,
            long patienceMs)
            throws InterruptedException {
        Peer peer = new Peer(server, localAddress);
        Left known = takeLeft(peer);
        if (known != null) {
            try {
                Session next = request(known.link, peer, names, request, timeoutMs, patienceMs);
                next.follow(known.turns);
                return next;
            } catch (TransferException failure) {
                if (known.link.answers.areAnswered()) {
                    throw failure;
                }
            }
        }
        return open(server, localAddress, names, request, timeoutMs, patienceMs);
    }

    private @Nullable Left takeLeft(Peer peer) {
        synchronized (left) {
            left.removeIf(each -> {
                boolean stale = each.link.answers.areClosed() || clock.nanoTime() - each.sinceNanos > LEFT_NANOS;
                if (stale) {
                    each.link.link.close();
                }
                return stale;
            });
            for (int i = 0; i < left.size(); i++) {
                if (left.get(i).peer.isSameAs(peer)) {
                    return left.remove(i);
                }
            }
            return null;
        }
    }

    private void keep(ControlLink link, Peer peer, String token, Object turns) {
        Answers answers = new Answers(link, true);
        link.resume(answers);
        synchronized (left) {
            if (!closed) {
                left.add(new Left(new Admitted(link, answers, new byte[0], token), peer, turns, clock.nanoTime()));
                return;
            }
        }
        link.close();
    }

    /** What needs a process of the server that serves this client. */
    private interface Attempt<T> {
        T run() throws InterruptedException;
    }

    /** Makes the attempt, and again where the server sends this client: that process may have ended meanwhile. */
    private <T> T whereSent(Attempt<T> attempt) throws InterruptedException {
        for (int left = MAX_SENT; ; left--) {
            try {
                return attempt.run();
            } catch (ElsewhereException elsewhere) {
                if (left == 0) {
                    throw Cause.CONNECTION_LOST.failure(elsewhere.getMessage() + ", which ends again and again");
                }
                links.route(elsewhere.route());
            }
        }
    }

    private Session request(
            Admitted admitted,
            Peer peer,
            List<TransferMessage.SourceNames> names,
            ControlMessage request,
            long timeoutMs,
            long patienceMs)
            throws InterruptedException {
        try {
            names.forEach(admitted.link::send);
            admitted.link.send(request);
            SessionMessage.Opened opened = admitted.answers.next(SessionMessage.Opened.class, timeoutMs);
            Secret secret = Secret.ofBytes(opened.secret());
            Reattaching reattaching = new Reattaching(
                    clock, timeoutMs, channel -> reattach(channel, peer, opened.sessionId(), secret, timeoutMs));
            ControlChannel channel = new ControlChannel(admitted.link, clock, timer, patienceMs, reattaching::begin);
            watchToken(channel, admitted.token);
            Session session = new Session(opened, channel, Permission.ALL, budget, clock);
            session.whenLeft(link -> keep(link, peer, admitted.token, session.turns()));
            session.known();
            return session;
        } catch (RuntimeException | InterruptedException failure) {
            // The server may have opened the session, and would otherwise wait for its client until the timeout.
            admitted.link.send(new SessionMessage.Leaving());
            admitted.link.close();
            if (failure instanceof TransferException refused) {
                throw named(refused);
            }
            throw failure;
        }
    }

    private void watchToken(ControlChannel channel, String shown) {
        if (access instanceof ServerAccess || !((TokenAccess) access).token().mayChange()) {
            return;
        }
        synchronized (left) {
            TokenWatch watching = tokens != null ? tokens : new TokenWatch(((TokenAccess) access).token(), software);
            tokens = watching;
            watching.follow(channel, shown);
        }
    }

    /** @param token that was shown; empty if that was a key */
    private record Admitted(ControlLink link, Answers answers, byte[] nonce, String token) {}

    private record Peer(InetSocketAddress server, @Nullable InetSocketAddress localAddress) {
        /** By hand, for a short start. */
        boolean isSameAs(Peer other) {
            return server.equals(other.server) && Objects.equals(localAddress, other.localAddress);
        }
    }

    /** A link that its session has left. */
    private record Left(Admitted link, Peer peer, Object turns, long sinceNanos) {}

    /**
     * If the first connection is cut, by a server with too many connections, connects again within the time limit. The
     * last attempt may have too little time for an answer: that says nothing about the server, the cut before it does.
     */
    private Admitted admit(InetSocketAddress server, @Nullable InetSocketAddress localAddress, long timeoutMs)
            throws InterruptedException {
        long begun = clock.nanoTime();
        long leftMs = timeoutMs;
        TransferException cut = null;
        for (int failures = 1; ; failures++) {
            try {
                return admitOnce(server, localAddress, leftMs);
            } catch (TransferException failure) {
                long restMs = timeoutMs - TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - begun);
                if (failure.kind() == FailureKind.CONNECTION_LOST) {
                    cut = failure;
                } else if (cut == null || failure.kind() != FailureKind.CANNOT_CONNECT || restMs > 0) {
                    throw failure;
                }
                // The process that it leads to may have ended.
                links.route(NO_ROUTE);
                long pauseMs = PAUSE_MS.after(failures);
                leftMs = restMs - pauseMs;
                if (leftMs <= 0) {
                    throw new TransferException(cut.failure().because(Cause.CANNOT_CONNECT), cut);
                }
                Thread.sleep(pauseMs);
            }
        }
    }

    private Admitted admitOnce(InetSocketAddress server, @Nullable InetSocketAddress localAddress, long timeoutMs)
            throws InterruptedException {
        ControlLink link = ControlLink.toServer(links.connectLink(server, localAddress, timeoutMs), place);
        Answers answers = new Answers(link, false);
        link.open(answers);
        try {
            byte[] nonce =
                    answers.next(SessionMessage.Challenge.class, timeoutMs).nonce();
            String token = access instanceof ServerAccess
                    ? ""
                    : ((TokenAccess) access).token().read();
            link.send(authentication(nonce, token));
            return new Admitted(link, answers, nonce, token);
        } catch (RuntimeException | InterruptedException failure) {
            link.abort(TransferException.of(failure));
            throw failure;
        }
    }

    /** For a server whose identity TLS has verified. */
    private SessionMessage authentication(byte[] nonce, String token) {
        return access instanceof ServerAccess key
                ? new SessionMessage.Authenticate(key.keyId(), SessionProof.ofClient(key, nonce), software)
                : new SessionMessage.Bearer(token, software);
    }

    /** Continues the channel of a session on a new link. */
    private void reattach(ControlChannel channel, Peer peer, byte[] sessionId, Secret secret, long timeoutMs)
            throws InterruptedException {
        try {
            boolean unused = whereSent(() -> {
                reattachOnce(channel, peer, sessionId, secret, timeoutMs);
                return true;
            });
        } catch (TransferException failure) {
            if (failure.kind() == FailureKind.CONNECTION_LOST) {
                links.route(NO_ROUTE);
            }
            throw failure;
        }
    }

    private void reattachOnce(ControlChannel channel, Peer peer, byte[] sessionId, Secret secret, long timeoutMs)
            throws InterruptedException {
        Admitted admitted = admitOnce(peer.server, peer.localAddress, timeoutMs);
        try {
            byte[] proof = SessionProof.ofReattachment(secret, sessionId, admitted.nonce);
            admitted.link.send(new SessionMessage.Reattach(sessionId, proof, channel.release()));
            long heard = admitted.answers
                    .next(SessionMessage.Reattached.class, timeoutMs)
                    .heard();
            channel.adopt(admitted.link, heard);
        } catch (RuntimeException | InterruptedException failure) {
            admitted.link.abort(TransferException.of(failure));
            if (failure instanceof TransferException refused) {
                throw named(refused);
            }
            throw failure;
        }
    }

    /** Says which token the server has refused. If there is never another one, no attempt is better than this one. */
    private TransferException named(TransferException failure) {
        if (!(access instanceof TokenAccess used) || failure.kind() != FailureKind.REFUSED) {
            return failure;
        }
        BearerToken token = used.token();
        Failure why = failure.failure();
        boolean forGood = why.is(Cause.TOKEN_EXPIRED) && !token.mayChange();
        return (forGood ? why.because(Cause.EXPIRED).advise(why.remedy()) : why)
                .failure(why.detail() + " (with the token from " + token.origin() + ")");
    }

    @Override
    public void close() {
        synchronized (left) {
            closed = true;
            left.forEach(each -> each.link.link.close());
            left.clear();
            if (tokens != null) {
                tokens.close();
            }
        }
        timer.shutdownNow();
        budget.close();
    }
}
