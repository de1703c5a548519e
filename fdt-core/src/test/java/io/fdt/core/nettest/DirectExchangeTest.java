package io.fdt.core.nettest;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Pointer;
import io.fdt.core.transport.DirectStream;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DirectExchangeTest {
    private static final int ROOM_BYTES = 16;

    /** A ring whose end lies in the middle of a message gives it in two pieces. */
    @ParameterizedTest
    @CsvSource({"false, 1", "false, 3", "true, 5", "true, 100"})
    void aMessageInPiecesLiesWholeInTheMemory(boolean polling, int pieceBytes) {
        LaneBytes memory = LaneBytes.ofBytes(ROOM_BYTES);
        Numbers stream = new Numbers(pieceBytes);
        DirectExchange exchange = new DirectExchange(stream, polling, memory, ROOM_BYTES);

        assertThat(exchange.receive(8)).isTrue();
        assertThat(first(memory, 8)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        // A longer one goes round in the memory, and the next begins at its start again.
        assertThat(exchange.receive(3 * ROOM_BYTES + 5)).isTrue();
        assertThat(exchange.receive(2)).isTrue();
        assertThat(first(memory, 2)).containsExactly(62, 63);
        assertThat(stream.last).isEqualTo(63);
    }

    private static int[] first(LaneBytes memory, int count) {
        return IntStream.range(0, count).map(memory.buffer()::get).toArray();
    }

    /** Counts upwards, in pieces. */
    private static final class Numbers implements DirectStream {
        private final int pieceBytes;
        private int last;

        Numbers(int pieceBytes) {
            this.pieceBytes = pieceBytes;
        }

        @Override
        public int receive(long address, int lengthBytes) {
            int count = Math.min(pieceBytes, lengthBytes);
            for (int i = 0; i < count; i++) {
                new Pointer(address).setByte(i, (byte) ++last);
            }
            return count;
        }

        @Override
        public int receivePolling(long address, int lengthBytes) {
            return receive(address, lengthBytes);
        }

        @Override
        public int receiveNow(long address, int lengthBytes) {
            return receive(address, lengthBytes);
        }

        @Override
        public int discard(int lengthBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int send(long address, int lengthBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int sendNow(long address, int lengthBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
