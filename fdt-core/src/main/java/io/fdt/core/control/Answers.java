package io.fdt.core.control;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.wire.ControlCodec;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The client's side of a handshake: waits for the server's answers one by one. */
final class Answers implements MessageLink.Handler {
    private record Answer(
            @Nullable ControlMessage message, @Nullable TransferException failure) {}

    private static final int MAX_ANSWERS = 64;

    private final ControlLink link;
    private final LinkedBlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    /** The server has not yet left the session before, to which everything until then belongs. */
    private boolean before;

    private volatile boolean answered;
    private volatile boolean closed;

    /** @param used by a session that this side has left */
    Answers(ControlLink link, boolean used) {
        this.link = link;
        this.before = used;
    }

    @Override
    public void onMessage(byte[] encoded) {
        if (before) {
            before = ControlCodec.typeOf(encoded, link.peer()) != SessionMessage.Leaving.class;
            return;
        }
        answered = true;
        ControlMessage message = link.decode(encoded);
        if (answers.size() >= MAX_ANSWERS) {
            link.abort(Cause.MALFORMED.failure(link.peer() + " sent something that was not requested"));
            return;
        }
        if (message instanceof SessionMessage.Opened || message instanceof SessionMessage.Reattached) {
            // What follows is for the session's channel, which has no handler yet.
            link.pause();
        }
        answers.add(new Answer(message, null));
    }

    @Override
    public void onClosed(@Nullable TransferException cause) {
        closed = true;
        answers.add(new Answer(null, cause));
    }

    /** Whether the server has sent anything. */
    boolean areAnswered() {
        return answered;
    }

    boolean areClosed() {
        return closed;
    }

    /** Returns the next answer, which must be of this type. */
    <M extends ControlMessage> M next(Class<M> type, long timeoutMs) throws InterruptedException {
        Answer answer = answers.poll(timeoutMs, TimeUnit.MILLISECONDS);
        if (answer == null) {
            throw Cause.NO_ANSWER.failure(link.peer() + " accepted the connection but did not answer");
        }
        if (answer.message instanceof SessionMessage.Failed failed) {
            throw failed.why().exception();
        }
        if (answer.message instanceof SessionMessage.Elsewhere elsewhere) {
            throw new ElsewhereException(link.peer(), elsewhere.route());
        }
        if (type.isInstance(answer.message)) {
            return type.cast(answer.message);
        }
        if (answer.failure != null) {
            throw answer.failure;
        }
        throw answer.message == null
                ? Cause.CANNOT_CONNECT.failure(link.peer() + " closed the connection")
                : Cause.MALFORMED.failure(link.peer() + " does not follow the protocol of this version");
    }
}
