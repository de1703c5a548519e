package io.fdt.cli.server;

import io.fdt.cli.command.Context;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.UserText;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.engine.AccountServing;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.run.Threads;
import io.fdt.core.security.Home;
import io.fdt.core.security.HostAccount;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.ServerCertificate;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.token.Issuers;
import io.fdt.core.token.TokenSettings;
import io.fdt.core.transport.local.PassingSocket;
import io.fdt.core.transport.local.PassingSocket.Message;
import io.fdt.core.wire.AccountCodec;
import io.fdt.core.wire.AccountMessage;
import io.fdt.core.wire.AccountMessage.Begin;
import io.fdt.core.wire.AccountMessage.Failed;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The process of an account: a server that does not listen, started as root by the server's first process, which {@link
 * AccountHelper} is the other end of. It loads what it needs, gives up other files and becomes the account before it is
 * passed any connection. It ends with the first process.
 */
final class AccountServer {
    /** The only argument of this process. It is for fdt itself, so it is no option. */
    static final String WORD = "--for-account";

    /** The types of what passes between the processes; this one has an {@link AccountMessage}, and comes first. */
    static final int MESSAGE = 1;

    static final int CONNECTION = 2;
    /** With the text of the account's keys. */
    static final int KEYS = 3;

    static final int STOP = 4;
    /** With a file of the locks on claims; as many as there are come third, and the first keys after them. */
    static final int CLAIMS = 5;

    static final int READY = 6;
    /** This process has taken the descriptor of one {@link #CONNECTION}. */
    static final int TAKEN = 7;

    /** With the memory of the totals and the row of this process; comes second. */
    static final int TOTALS = 8;
    /** With a token that the first process has verified for this account. */
    static final int TOKEN = 9;
    /** With what {@link ServerCertificate#encoded} returns. */
    static final int CERTIFICATE = 10;
    /** With what {@link TokenSettings#encoded} returns; comes before tokens. */
    static final int ISSUERS = 11;

    private static final int NAME_BYTES = 200;
    private static final long LOST_MS = 2_000;

    private final PassingSocket socket;
    private final Begin begin;
    private final ClaimLocks claims;
    private final ServerTotals totals;
    private final KeyStore keys = KeyStore.withoutFile();
    private volatile Issuers issuers = Issuers.NONE;
    private volatile @Nullable ServerCertificate certificate;

    private AccountServer(PassingSocket socket, Begin begin, ServerTotals totals, ClaimLocks claims) {
        this.socket = socket;
        this.begin = begin;
        this.totals = totals;
        this.claims = claims;
    }

    /** Connects to the process that started this one, and receives what it has to do. */
    static AccountServer connect(Context context) {
        try {
            long parent = ProcessHandle.current().parent().orElseThrow().pid();
            PassingSocket socket = PassingSocket.connect(line(context.standardInput()), parent);
            Begin begin = begin(socket);
            AccountServer connected = new AccountServer(socket, begin, totals(socket), claims(socket));
            connected.hold(next(socket, KEYS));
            return connected;
        } catch (IOException | RuntimeException e) {
            throw UserText.refusal(WORD + " is for the processes that a server starts itself: " + e.getMessage());
        }
    }

    private static ServerTotals totals(PassingSocket socket) throws IOException {
        Message shared = shared(socket, TOTALS);
        return ServerTotals.joined(shared.descriptor(), shared.payload()[0]);
    }

    private static ClaimLocks claims(PassingSocket socket) throws IOException {
        int[] descriptors = new int[ClaimLocks.FILES];
        for (int i = 0; i < descriptors.length; i++) {
            descriptors[i] = shared(socket, CLAIMS).descriptor();
        }
        return ClaimLocks.joined(descriptors);
    }

    private static Message shared(PassingSocket socket, int type) throws IOException {
        Message next = next(socket, type);
        if (next.descriptor() < 0) {
            throw new IOException("the server passes nothing");
        }
        return next;
    }

    private static Message next(PassingSocket socket, int type) throws IOException {
        Message next = socket.receive(PassingSocket.MAX_BYTES);
        if (next == null || next.type() != type) {
            throw new IOException("the server has ended");
        }
        return next;
    }

    private static Begin begin(PassingSocket socket) throws IOException {
        try {
            if (AccountCodec.decode(next(socket, MESSAGE).payload()) instanceof Begin begin) {
                return begin;
            }
            throw new IOException("the server begins with another message");
        } catch (TransferException another) {
            send(socket, new Failed(another.failure()));
            throw another;
        }
    }

    /** If the first process is gone, this one ends. */
    private static void send(PassingSocket socket, AccountMessage message) {
        boolean unused = socket.send(MESSAGE, AccountCodec.encode(message));
    }

    private static String line(InputStream in) throws IOException {
        return new String(in.readNBytes(NAME_BYTES), StandardCharsets.US_ASCII).strip();
    }

    List<String> arguments() {
        return begin.arguments();
    }

    /** Serves until the first process ends, or tells this one to stop. */
    int serve(Settings settings, Context context) {
        EventRelay relay = new EventRelay(message -> send(socket, message), begin.files(), begin.checksums());
        AccountServing serving;
        try {
            serving = start(settings, context, relay);
        } catch (RuntimeException | Error e) {
            send(socket, new Failed(TransferException.of(e).failure()));
            throw e;
        }
        // The first process gets them as well, and says what to do.
        for (String signal : List.of("INT", "HUP", "USR1")) {
            context.signals().onSignal(signal, () -> {});
        }
        context.signals().onSignal("TERM", () -> stop(serving, ServerCommand.STOP_MS));
        relay.begin();
        Threads.start("fdt-account", () -> follow(serving));
        try {
            serving.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }

    private AccountServing start(Settings settings, Context context, EventRelay relay) {
        ServerSettings server = serverSettings(settings);
        Network network = ServerCommand.network(settings, server.limits());
        Identity identity = Identity.loadOrCreate(Home.directory(context.environment()));
        issuers = Issuers.ofAccount(begin.user());
        // Everything is loaded first: the account may not be able to read the libraries. There is no connection yet.
        AccountServing serving = network.applied(context.fdt())
                .withCertificate(() -> certificate)
                .serveAccount(
                        server,
                        relay,
                        new AccountServing.Given(identity, keys, issuers, begin.user(), begin.route(), claims, totals));
        try {
            ReachableFiles.of(server.roots()).giveUpOthers(without -> {}, relay::onWarning, 0);
            HostAccount.of(begin.user(), begin.numbers()).become();
        } catch (RuntimeException | Error failure) {
            serving.close();
            throw failure;
        }
        if (!socket.send(READY, new byte[0])) {
            serving.close();
        }
        return serving;
    }

    /** The log of network tests is the first process's: the account may not write there. */
    private static ServerSettings serverSettings(Settings settings) {
        ServerSettings all = ServerCommand.serverSettings(settings, new HostPort("127.0.0.1", 0));
        return new ServerSettings(
                all.address(),
                all.roots(),
                all.limits(),
                all.transferLimits(),
                all.objects().withoutLog(),
                all.outbound(),
                TokenSettings.NONE);
    }

    private void follow(AccountServing serving) {
        try (PassingSocket from = socket) {
            for (Message next = from.receive(PassingSocket.MAX_BYTES);
                    next != null;
                    next = from.receive(PassingSocket.MAX_BYTES)) {
                onMessage(next, serving);
            }
        } catch (IOException e) {
            // No first process sends it.
        } finally {
            stop(serving, LOST_MS);
        }
    }

    private void hold(Message message) {
        keys.hold(new String(message.payload(), StandardCharsets.UTF_8));
    }

    private void onMessage(Message message, AccountServing serving) throws IOException {
        if (message.type() == CONNECTION && message.descriptor() >= 0) {
            serving.adopt(message.descriptor());
            boolean unused = socket.send(TAKEN, new byte[0]);
            return;
        }
        if (message.descriptor() >= 0) {
            Libc.close(message.descriptor());
        }
        if (message.type() == KEYS) {
            hold(message);
            serving.onKeysChanged();
        } else if (message.type() == TOKEN) {
            issuers.pass(new String(message.payload(), StandardCharsets.US_ASCII));
        } else if (message.type() == ISSUERS) {
            issuers.trust(TokenSettings.decoded(message.payload()), warning -> {});
            serving.onKeysChanged();
        } else if (message.type() == CERTIFICATE) {
            certificate = ServerCertificate.decoded(message.payload());
        } else if (message.type() == STOP) {
            stop(serving, ServerCommand.STOP_MS);
        }
    }

    private static void stop(AccountServing serving, long timeoutMs) {
        Threads.start(
                "fdt-stop",
                () -> {
                    try {
                        serving.stop(timeoutMs);
                    } finally {
                        serving.close();
                    }
                },
                noThread -> serving.close());
    }
}
