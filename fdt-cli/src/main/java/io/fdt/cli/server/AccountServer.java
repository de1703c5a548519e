package io.fdt.cli.server;

import io.fdt.cli.command.Context;
import io.fdt.cli.network.Network;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.UserText;
import io.fdt.core.basic.Version;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.digest.Checksums;
import io.fdt.core.engine.AccountServing;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.run.Threads;
import io.fdt.core.security.Home;
import io.fdt.core.security.HostAccount;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KeyStore;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.transport.local.PassingSocket;
import io.fdt.core.transport.local.PassingSocket.Message;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The process of an account: a server that does not listen, started as root by the server's first process, which {@link
 * AccountHelper} is the other end of. It loads what it needs, gives up other files and becomes the account before it is
 * passed any connection. It ends with the first process.
 */
final class AccountServer {
    /** The only argument of this process. It is for fdt itself, so it is no option. */
    static final String WORD = "--for-account";

    /** The types of the first process's messages. */
    static final int BEGIN = 1;

    static final int CONNECTION = 2;
    static final int KEYS = 3;
    static final int STOP = 4;

    /** With a file of the locks on claims; as many as there are follow {@link #BEGIN}. */
    static final int CLAIMS = 5;

    /** With the memory of the totals and the row of this process; before {@link #CLAIMS}. */
    static final int TOTALS = 6;

    /** The types of this process's messages, besides events. */
    static final int READY = 100;

    /** With the kind of the failure and its reason. */
    static final int FAILED = 101;

    /** This process has taken the descriptor of one {@link #CONNECTION}. */
    static final int TAKEN = 102;

    private static final int NAME_BYTES = 200;
    private static final long LOST_MS = 2_000;

    private final PassingSocket socket;
    private final Begin begin;
    private final ClaimLocks claims;
    private final ServerTotals totals;
    private final KeyStore keys = KeyStore.withoutFile();

    /**
     * What the first process says at the beginning.
     *
     * @param account that the process becomes: it looks up nothing itself
     * @param arguments of the first process
     * @param keys the text of the account's keys
     * @param files whether it wants to know about each file
     * @param checksums that it wants of each file
     */
    record Begin(
            byte[] route,
            HostAccount account,
            List<String> arguments,
            String keys,
            boolean files,
            Checksums checksums) {
        byte[] toBytes() {
            return EventRelay.bytes(out -> {
                EventRelay.text(out, Version.software());
                out.writeInt(route.length);
                out.write(route);
                EventRelay.text(out, account.name());
                int[] numbers = account.numbers();
                out.writeInt(numbers.length);
                for (int number : numbers) {
                    out.writeInt(number);
                }
                out.writeInt(arguments.size());
                for (String argument : arguments) {
                    EventRelay.text(out, argument);
                }
                EventRelay.text(out, keys);
                out.writeBoolean(files);
                out.writeInt(checksums.bits());
            });
        }

        /** UNAVAILABLE for what a server of another version says. */
        static Begin of(byte[] bytes) throws IOException {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            String software = RelayedEvents.text(in);
            if (!software.equals(Version.software())) {
                throw Cause.UNAVAILABLE
                        .advise("restart the server after the upgrade")
                        .failure("the server is " + software + ", and its processes would be " + Version.software());
            }
            byte[] route = RelayedEvents.bytes(in);
            String user = RelayedEvents.text(in);
            int[] numbers = new int[RelayedEvents.count(in)];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = in.readInt();
            }
            HostAccount account = HostAccount.of(user, numbers);
            List<String> arguments = new ArrayList<>();
            for (int left = RelayedEvents.count(in); left > 0; left--) {
                arguments.add(RelayedEvents.text(in));
            }
            return new Begin(
                    route, account, arguments, RelayedEvents.text(in), in.readBoolean(), new Checksums(in.readInt()));
        }
    }

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
            Message first = socket.receive();
            if (first == null || first.type() != BEGIN) {
                throw new IOException("the server has ended");
            }
            Begin begin = begin(socket, first.payload());
            return new AccountServer(socket, begin, totals(socket), claims(socket));
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
        Message next = socket.receive();
        if (next == null || next.type() != type || next.descriptor() < 0) {
            throw new IOException("the server has ended");
        }
        return next;
    }

    private static Begin begin(PassingSocket socket, byte[] bytes) throws IOException {
        try {
            return Begin.of(bytes);
        } catch (TransferException another) {
            tell(socket, another);
            throw another;
        }
    }

    /** Tells the first process why there is no process of the account. */
    private static void tell(PassingSocket socket, TransferException failure) {
        boolean unused = socket.send(FAILED, failed(failure));
    }

    /** Returns what {@link #FAILED} carries. */
    static byte[] failed(TransferException failure) {
        return EventRelay.bytes(out -> EventRelay.failure(out, failure.failure()));
    }

    private static String line(InputStream in) throws IOException {
        return new String(in.readNBytes(NAME_BYTES), StandardCharsets.US_ASCII).strip();
    }

    List<String> arguments() {
        return begin.arguments;
    }

    /** Serves until the first process ends, or tells this one to stop. */
    int serve(Settings settings, Context context) {
        EventRelay relay = new EventRelay(socket, begin.files, begin.checksums);
        AccountServing serving;
        try {
            serving = start(settings, context, relay);
        } catch (RuntimeException | Error e) {
            tell(socket, TransferException.of(e));
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
        keys.hold(begin.keys);
        // Everything is loaded first: the account may not be able to read the libraries. There is no connection yet.
        AccountServing serving = network.applied(context.fdt())
                .serveAccount(
                        server,
                        relay,
                        new AccountServing.Given(identity, keys, begin.account.name(), begin.route, claims, totals));
        try {
            ReachableFiles.of(server.roots()).giveUpOthers(without -> {}, relay::onWarning, 0);
            begin.account.become();
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
                all.outbound());
    }

    private void follow(AccountServing serving) {
        try (PassingSocket from = socket) {
            for (Message next = from.receive(); next != null; next = from.receive()) {
                onMessage(next, serving);
            }
        } finally {
            stop(serving, LOST_MS);
        }
    }

    private void onMessage(Message message, AccountServing serving) {
        if (message.type() == CONNECTION && message.descriptor() >= 0) {
            serving.adopt(message.descriptor());
            boolean unused = socket.send(TAKEN, new byte[0]);
            return;
        }
        if (message.descriptor() >= 0) {
            Libc.close(message.descriptor());
        }
        if (message.type() == KEYS) {
            keys.hold(new String(message.payload(), StandardCharsets.UTF_8));
            serving.onKeysChanged();
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
