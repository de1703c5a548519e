package io.fdt.core.transport.tcp;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.fuzz.FuzzTarget;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The first bytes of any connection to the port. */
public final class TcpFuzz {
    private TcpFuzz() {}

    public static List<FuzzTarget> targets() {
        return List.of(new ListenerTarget());
    }

    private static final class ListenerTarget implements FuzzTarget {
        @Override
        public String name() {
            return "preamble";
        }

        @Override
        public List<byte[]> corpus() {
            List<byte[]> corpus = new ArrayList<>();
            for (int code : new int[] {Preamble.LINK, Preamble.TLS_LANE, Preamble.CLEAR_LANE, 0, 255}) {
                ByteBuf encoded = Preamble.encode(Preamble.VERSION, code);
                byte[] bytes = new byte[Preamble.BYTES];
                encoded.readBytes(bytes).release();
                corpus.add(bytes);
            }
            for (String text : List.of(
                    "GET / HTTP/1.1", "SSH-2.0-x", "\u0016\u0003\u0001", "\u00AC\u00ED\u0000\u0005", "PRI * ", "x")) {
                corpus.add(text.getBytes(StandardCharsets.ISO_8859_1));
            }
            return corpus;
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.noneOf(FailureKind.class);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(16 << 10, 16);
        }

        @Override
        public String run(byte[] input) {
            byte[] first = java.util.Arrays.copyOf(input, Preamble.BYTES);
            int count = Math.min(input.length, Preamble.BYTES);
            boolean may = true;
            for (int come = 0; come <= count; come++) {
                boolean now = Preamble.mayBegin(first, come);
                if (now && !may) {
                    throw new AssertionError("more bytes make a preamble of what was none");
                }
                may = now;
            }
            String described = Preamble.describe(first, count);
            if (described.codePoints().anyMatch(Character::isISOControl)) {
                throw new AssertionError("what is said of a stranger steers nobody");
            }
            boolean known = may && count == Preamble.BYTES && Preamble.version(first) == Preamble.VERSION;
            return known ? "code " + Preamble.code(first) : described.replaceAll("0x..", "#");
        }
    }
}
