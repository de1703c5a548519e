package io.fdt.core.wire;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Encodes control messages as CBOR, see {@link MessageTable}. Lists that can be long contain positional arrays.
 * Decoding bounds every value and throws a {@link TransferException} for anything invalid, and never any other
 * exception, whatever the bytes are.
 */
public final class ControlCodec {
    private static final MessageTable<ControlMessage> TABLE = new MessageTable<>(
            ControlMessage.class,
            Stream.of(
                            SessionCodec.KINDS,
                            TransferCodec.KINDS,
                            VerifyCodec.KINDS,
                            ThirdPartyCodec.KINDS,
                            NettestCodec.KINDS,
                            FileCodec.KINDS)
                    .flatMap(List::stream));

    /** Of every byte of a message, while it is decoded: one in a plain value, and one in the message. */
    private static final long COPIES = 2;
    /** A plain value with its place in a list, and the object that is made of it. */
    private static final long HEAP_BYTES_OF_VALUE = 96;

    /** A type of message and its code, which never changes on the wire. */
    record MessageKind<M>(int code, Class<M> type, Form.Shape<M> shape) {}

    private ControlCodec() {}

    /** Encodes a message for an end of which no failure in it tells. */
    public static byte[] encode(ControlMessage message) {
        return encode(message, Failure.HERE);
    }

    /** @param receiver the place of failures on the host of who receives it */
    public static byte[] encode(ControlMessage message, String receiver) {
        return TABLE.encode(message, receiver);
    }

    public static Set<Class<?>> types() {
        return TABLE.types();
    }

    /** The type of a message, which its first field determines, without decoding the others. */
    public static Class<? extends ControlMessage> typeOf(byte[] bytes, String peer) {
        try {
            return TABLE.typeOf(bytes);
        } catch (IOException e) {
            throw malformed(peer, e.getMessage(), e);
        }
    }

    /**
     * An upper limit on the heap that the message takes while it is decoded and afterwards, found without decoding it.
     */
    public static long heapBytes(byte[] bytes, String peer) {
        try {
            return COPIES * bytes.length + HEAP_BYTES_OF_VALUE * CborReader.countValues(bytes);
        } catch (IOException e) {
            throw malformed(peer, e.getMessage(), e);
        }
    }

    /** @param peer who sent it, and the place of failures on its host */
    public static ControlMessage decode(byte[] bytes, String peer) {
        try {
            return TABLE.decode(bytes, peer);
        } catch (IOException e) {
            throw malformed(peer, e.getMessage(), e);
        }
    }

    private static TransferException malformed(String peer, @Nullable String why, Exception cause) {
        return Cause.MALFORMED.failure("malformed control message from " + peer + ": " + why, cause);
    }
}
