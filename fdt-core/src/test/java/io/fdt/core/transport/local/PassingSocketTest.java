package io.fdt.core.transport.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.transport.InBackground;
import io.fdt.core.transport.local.PassingSocket.Message;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PassingSocketTest {
    private PassingSocket there;
    private PassingSocket here;

    @BeforeEach
    void connect() throws IOException {
        String name = "fdt-test-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
        long self = ProcessHandle.current().pid();
        try (PassingSocket.Listening listening = new PassingSocket.Listening(name)) {
            there = PassingSocket.connect(name, self);
            here = listening.accept(self, 60_000);
        }
    }

    @AfterEach
    void close() {
        there.close();
        here.close();
    }

    @Test
    void aMessageOfManyPartsArrivesWhole() throws Exception {
        byte[] large = new byte[300_000];
        new Random(2).nextBytes(large);
        var sending = InBackground.start(() -> there.send(7, large));
        Message message = here.receive(large.length);
        assertThat(message.type()).isEqualTo(7);
        assertThat(message.payload()).isEqualTo(large);
        assertThat(sending.result()).isTrue();
        there.end();
        assertThat(here.receive(1)).isNull();
        assertThat(here.send(1, new byte[0])).isFalse();
    }

    /** Nothing is allocated for it. */
    @Test
    void aMessageIsNoLongerThanItsReceiverAllows() {
        there.send(7, new byte[1001]);
        assertThatThrownBy(() -> here.receive(1000)).hasMessageContaining("more than 1000 bytes");
    }
}
