package io.fdt.core.control;

import io.fdt.core.Clock;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.security.Secret;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.security.SessionProof;
import io.fdt.core.transport.LinkTransport;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.wire.ControlMessage;
import java.net.InetSocketAddress;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The client's end of the handshake: from an address and a key to an open session. */
public final class Client implements AutoCloseable {
    private final LinkTransport transport;
    private final ServerAccess access;
    private final String software;
    private final Clock clock;
    private final ScheduledExecutorService timer = Timers.newTimer();

    public Client(LinkTransport transport, ServerAccess access, String software, Clock clock) {
        this.transport = transport;
        this.access = access;
        this.software = software;
        this.clock = clock;
    }

    /**
     * Opens a session; blocks until the server has granted it.
     *
     * @throws TransferException CANNOT_CONNECT, REFUSED, VERSION, or whatever reason the server gives
     */
    public Session open(
            InetSocketAddress server, @Nullable InetSocketAddress localAddress, ControlMessage request, long timeoutMs)
            throws InterruptedException {
        MessageLink link = transport.connectLink(server, localAddress, timeoutMs);
        ControlChannel channel = new ControlChannel(link, clock, timer, timeoutMs);
        Answers answers = new Answers(channel);
        channel.start(answers);
        channel.open();
        try {
            if (!(answers.next(timeoutMs, link.peer()) instanceof ControlMessage.Challenge challenge)) {
                throw outOfTurn(link);
            }
            byte[] proof = SessionProof.ofClient(access, challenge.nonce());
            channel.send(new ControlMessage.Authenticate(access.keyId(), proof, software));
            channel.send(request);
            if (!(answers.next(timeoutMs, link.peer()) instanceof ControlMessage.Opened opened)) {
                throw outOfTurn(link);
            }
            return new Session(
                    opened.sessionId(),
                    Secret.ofBytes(opened.secret()),
                    channel,
                    opened.lanes(),
                    opened.clearLanes(),
                    clock);
        } catch (TransferException failure) {
            channel.abort(failure);
            throw failure;
        }
    }

    private static TransferException outOfTurn(MessageLink link) {
        return new TransferException(
                FailureKind.VERSION, link.peer() + " does not follow the protocol of this version");
    }

    /** Waits for the server's answers one by one. */
    private static final class Answers implements ControlChannel.Handler {
        private record Answer(
                @Nullable ControlMessage message, @Nullable TransferException failure) {}

        private final ControlChannel channel;
        private final LinkedBlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

        Answers(ControlChannel channel) {
            this.channel = channel;
        }

        @Override
        public void onMessage(ControlMessage message) {
            if (message instanceof ControlMessage.Opened) {
                // What follows is for the session, which is not there yet.
                channel.pause();
            }
            answers.add(new Answer(message, null));
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {
            answers.add(new Answer(null, cause));
        }

        ControlMessage next(long timeoutMs, String peer) throws InterruptedException {
            Answer answer = answers.poll(timeoutMs, TimeUnit.MILLISECONDS);
            if (answer == null) {
                throw new TransferException(
                        FailureKind.CANNOT_CONNECT, peer + " accepted the connection but does not answer");
            }
            if (answer.message instanceof ControlMessage.Failed failed) {
                throw new TransferException(FailureKind.ofExitCode(failed.exitCode()), failed.message());
            }
            if (answer.message != null) {
                return answer.message;
            }
            if (answer.failure != null) {
                throw answer.failure;
            }
            throw new TransferException(FailureKind.CANNOT_CONNECT, peer + " closed the connection");
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
