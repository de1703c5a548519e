package io.fdt.core.wire;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.fuzz.CborMutator;
import io.fdt.core.fuzz.FuzzTarget;
import io.fdt.core.fuzz.Mutator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** Everything that arrives from a peer: control messages, chunk headers and trailers, and the hello of a lane. */
public final class WireFuzz {
    private static final int CRC_BYTES = 4;

    private WireFuzz() {}

    public static List<FuzzTarget> targets() {
        return List.of(new Control(), new Header(), new Trailer(), new Hello());
    }

    /** Ends the bytes with a matching checksum, so that the code after the check is reached. */
    private static byte[] closed(byte[] bytes, SplittableRandom random) {
        if (bytes.length >= CRC_BYTES && random.nextInt(8) != 0) {
            CRC32C crc = new CRC32C();
            crc.update(bytes, 0, bytes.length - CRC_BYTES);
            ByteBuffer.wrap(bytes).putInt(bytes.length - CRC_BYTES, (int) crc.getValue());
        }
        return bytes;
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** A target that encodes a decoded message and decodes it again; both messages must be the same. */
    private static final class Control implements FuzzTarget {
        @Override
        public String name() {
            return "control";
        }

        @Override
        public List<byte[]> corpus() {
            return ControlMessages.everyMessage().map(ControlCodec::encode).toList();
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.of(FailureKind.VERSION);
        }

        /**
         * Once per message, the parser trusts a string's length of up to 250,000 bytes before it has read them. A value
         * of one byte becomes an object.
         */
        @Override
        public MemoryBound bound() {
            return new MemoryBound(384 << 10, 640);
        }

        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            return CborMutator.mutate(sample, other, random);
        }

        @Override
        public String run(byte[] input) {
            ControlMessage message = ControlCodec.decode(input, "peer");
            byte[] encoded = ControlCodec.encode(message);
            ControlMessage again;
            try {
                again = ControlCodec.decode(encoded, "peer");
            } catch (TransferException tooLong) {
                // Escaping makes a text longer, and no real peer forwards an escaped text.
                require(encoded.length > input.length, "cannot read what it wrote: " + tooLong.getMessage());
                return "expanded " + message.getClass().getSimpleName();
            }
            require(Arrays.equals(encoded, ControlCodec.encode(again)), "reads another message than it wrote");
            return message.getClass().getSimpleName();
        }
    }

    private static final class Header implements FuzzTarget {
        private static final long TAG = 0x1122334455667788L;
        private final ChunkHeader header = new ChunkHeader();
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(ChunkHeader.LENGTH_BYTES);

        @Override
        public String name() {
            return "chunk-header";
        }

        @Override
        public List<byte[]> corpus() {
            List<byte[]> corpus = new ArrayList<>();
            for (int length : new int[] {1, TreeDigest.LEAF_BYTES, TreeDigest.LEAF_BYTES + 1, Bounds.MAX_CHUNK_BYTES}) {
                for (long map : new long[] {0, 1, ChunkHeader.fullMap(length)}) {
                    header.set(TAG, 7, 2, 5L << 40, length, map);
                    corpus.add(written());
                }
                header.setDigestOnly(TAG, 7, 0, length);
                corpus.add(written());
            }
            return corpus;
        }

        private byte[] written() {
            header.write(buffer.clear());
            byte[] bytes = new byte[ChunkHeader.LENGTH_BYTES];
            buffer.flip().get(bytes);
            return bytes;
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.noneOf(FailureKind.class);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(4 << 10, 8);
        }

        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            return closed(Arrays.copyOf(Mutator.bytes(sample, other, random), ChunkHeader.LENGTH_BYTES), random);
        }

        @Override
        public String run(byte[] input) {
            buffer.clear().put(Arrays.copyOf(input, ChunkHeader.LENGTH_BYTES)).flip();
            String problem = header.read(buffer, TAG);
            require(!buffer.hasRemaining(), "a header is read whole");
            if (problem != null) {
                return problem.replaceAll("[0-9-]+", "#");
            }
            int leaves = header.leaves();
            int length = 0;
            for (int leaf = 0; leaf < leaves; leaf++) {
                require(header.leafBytes(leaf) > 0, "every leaf has bytes");
                length += header.leafBytes(leaf);
            }
            require(leaves >= 1 && leaves <= Bounds.MAX_LEAVES, leaves + " leaves");
            require(length == header.lengthBytes(), "the leaves are the chunk");
            require(header.offset() + length > 0 && header.fileId() >= 0, "the chunk lies in a file");
            return "sound " + leaves + (header.isDigestOnly() ? " digest" : "")
                    + (header.leafMap() == 0 ? " hole" : "");
        }
    }

    private static final class Trailer implements FuzzTarget {
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(2 * Integer.BYTES + DigestKind.MAX_BYTES);

        @Override
        public String name() {
            return "chunk-trailer";
        }

        @Override
        public List<byte[]> corpus() {
            List<byte[]> corpus = new ArrayList<>();
            for (DigestKind kind : DigestKind.values()) {
                for (ChunkTrailer.Status status : ChunkTrailer.Status.values()) {
                    ChunkTrailer trailer = new ChunkTrailer(kind);
                    trailer.setStatus(status);
                    Arrays.fill(trailer.digest(), (byte) 0x5A);
                    trailer.write(buffer.clear());
                    byte[] bytes = new byte[trailer.lengthBytes()];
                    buffer.flip().get(bytes);
                    corpus.add(bytes);
                }
            }
            return corpus;
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.noneOf(FailureKind.class);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(4 << 10, 8);
        }

        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            return closed(Mutator.bytes(sample, other, random), random);
        }

        @Override
        public String run(byte[] input) {
            StringBuilder outcome = new StringBuilder();
            for (DigestKind kind : DigestKind.values()) {
                ChunkTrailer trailer = new ChunkTrailer(kind);
                buffer.clear().put(Arrays.copyOf(input, trailer.lengthBytes())).flip();
                boolean sound = trailer.read(buffer);
                require(!buffer.hasRemaining(), "a trailer is read whole");
                require(trailer.matches(trailer.digest().clone()), "a digest is equal to itself");
                outcome.append(kind).append(sound ? " sound " : " damaged ").append(sound ? trailer.status() : "");
            }
            return outcome.toString();
        }
    }

    private static final class Hello implements FuzzTarget {
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(LaneHello.LENGTH_BYTES);

        @Override
        public String name() {
            return "lane-hello";
        }

        @Override
        public List<byte[]> corpus() {
            List<byte[]> corpus = new ArrayList<>();
            for (int lane : new int[] {0, 1, Bounds.MAX_LANES - 1, Bounds.MAX_LANES, -1}) {
                ByteBuffer hello = ByteBuffer.allocate(LaneHello.LENGTH_BYTES);
                new LaneHello(new byte[LaneHello.SESSION_ID_BYTES], lane, lane, new byte[LaneHello.PROOF_BYTES])
                        .write(hello);
                corpus.add(hello.array());
            }
            return corpus;
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.noneOf(FailureKind.class);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(4 << 10, 8);
        }

        @Override
        public String run(byte[] input) {
            buffer.clear().put(Arrays.copyOf(input, LaneHello.LENGTH_BYTES)).flip();
            LaneHello hello = LaneHello.read(buffer);
            if (hello == null) {
                return "none";
            }
            require(hello.lane() >= 0 && hello.lane() < Bounds.MAX_LANES && hello.attempt() >= 0, "lane in bounds");
            return "lane";
        }
    }
}
