package io.fdt.core.transport.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.MessageLink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A link within a process; its thread is the test's. */
final class InnerLinkTest {
    private final ArrayDeque<Runnable> due = new ArrayDeque<>();
    private final InnerLink.Pair pair = InnerLink.pair("there", due::add);
    private final InnerLink near = pair.near();
    private final InnerLink far = pair.far();

    private static final class Recording implements MessageLink.Handler {
        final List<String> events = new ArrayList<>();
        private final MessageLink link;

        Recording(MessageLink link) {
            this.link = link;
        }

        @Override
        public void onMessage(byte[] message) {
            events.add("message " + message[0]);
            if (message[0] == 9) {
                link.pause();
            }
            if (message[0] == 13) {
                throw Cause.MALFORMED.failure("thirteen");
            }
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {
            events.add(cause == null ? "end" : "end: " + cause.getMessage());
        }
    }

    private final Recording here = new Recording(near);
    private final Recording there = new Recording(far);

    private void start() {
        near.start(here);
        far.start(there);
    }

    private void send(int... numbers) {
        for (int number : numbers) {
            near.send(new byte[] {(byte) number});
        }
    }

    private void runAll() {
        for (Runnable next = due.poll(); next != null; next = due.poll()) {
            next.run();
        }
    }

    @Test
    void deliversInOrderAndThenTheEnd() {
        send(1);
        start();
        send(2, 3);
        assertThat(near.queuedBytes()).isEqualTo(3);
        near.close();
        send(4);
        runAll();
        assertThat(there.events).containsExactly("message 1", "message 2", "message 3", "end");
        assertThat(here.events).containsExactly("end");
        assertThat(near.queuedBytes()).isZero();
    }

    @Test
    void deliversNothingWhilePausedButTheEndWithAllBeforeIt() {
        start();
        send(9, 2);
        runAll();
        assertThat(there.events).containsExactly("message 9");
        far.resume();
        runAll();
        assertThat(there.events).containsExactly("message 9", "message 2");
        send(9, 4);
        near.close();
        runAll();
        assertThat(there.events).containsExactly("message 9", "message 2", "message 9", "message 4", "end");
    }

    @Test
    void anAbortIsALossAtTheOtherEnd() {
        start();
        send(1);
        near.abort(Cause.NO_ANSWER.failure("too slow"));
        runAll();
        assertThat(here.events).containsExactly("end: too slow");
        assertThat(there.events).containsExactly("message 1", "end: lost the connection to there: too slow");
    }

    @Test
    void aHandlerThatFailsEndsTheLink() {
        start();
        send(13, 1);
        runAll();
        assertThat(there.events).containsExactly("message 13", "end: thirteen");
        assertThat(here.events).containsExactly("end: lost the connection to there: thirteen");
    }
}
