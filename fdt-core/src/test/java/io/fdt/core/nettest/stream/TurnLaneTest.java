package io.fdt.core.nettest.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.transport.Connection;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TurnLaneTest {
    private static final int ROOM_BYTES = 16;

    /** A ring whose end is in the middle of a message delivers the message in two pieces. */
    @ParameterizedTest
    @CsvSource({"false, 1", "false, 3", "true, 5", "true, 100"})
    void aMessageInPiecesLiesWholeInTheMemory(boolean polling, int pieceBytes) {
        Numbers stream = new Numbers(pieceBytes);
        Lane lane = (Lane) Proxy.newProxyInstance(
                Lane.class.getClassLoader(), new Class<?>[] {Lane.class}, (self, method, arguments) -> {
                    if (method.getName().equals("execute")) {
                        ((Runnable) arguments[0]).run();
                    }
                    return switch (method.getName()) {
                        case "takeOver" -> stream;
                        case "connection" -> Connection.NONE;
                        case "execute", "close" -> null;
                        default -> throw new AssertionError("not expected: " + method.getName());
                    };
                });
        // A message longer than the memory wraps around, and the next message begins at its start again.
        Receiving receiving = new Receiving(lane, polling, 8, 3 * ROOM_BYTES + 5, 2);

        receiving.begin();

        assertThat(receiving.received.get(0)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(receiving.received.get(2)).containsExactly(62, 63);
        assertThat(stream.last).isEqualTo(63);
    }

    /** A lane that receives this many bytes in each turn. */
    private static final class Receiving extends TurnLane {
        private final List<int[]> received = new ArrayList<>();
        private final int[] turns;
        private int turn;

        Receiving(Lane lane, boolean polling, int... turns) {
            super(lane, ROOM_BYTES, polling);
            this.turns = turns;
        }

        @Override
        boolean next() {
            if (turn > 0) {
                int count = Math.min(8, turns[turn - 1]);
                received.add(IntStream.range(0, count).map(received()::get).toArray());
            }
            return turn < turns.length && receive(turns[turn++]);
        }
    }

    /** A stream that counts upwards, in pieces. */
    private static final class Numbers implements DirectStream {
        private final int pieceBytes;
        private int last;

        Numbers(int pieceBytes) {
            this.pieceBytes = pieceBytes;
        }

        @Override
        public int receive(long address, int lengthBytes, boolean waits) {
            int count = Math.min(pieceBytes, lengthBytes);
            ByteBuffer memory = Libc.bufferAt(address, count);
            while (memory.hasRemaining()) {
                memory.put((byte) ++last);
            }
            return count;
        }

        @Override
        public int discard(int lengthBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int send(long address, int lengthBytes, boolean waits) {
            throw new UnsupportedOperationException();
        }
    }
}
