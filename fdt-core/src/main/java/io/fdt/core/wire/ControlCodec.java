package io.fdt.core.wire;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Encodes control messages as CBOR: a map that begins with the message's code under {@code t}, then has its fields
 * under short names.
 * Lists that can be long contain positional arrays. Decoding bounds every value and throws a {@link TransferException}
 * for anything invalid, and never any other exception, whatever the bytes are.
 */
public final class ControlCodec {
    private static final Map<Integer, MessageKind<?>> BY_CODE = new HashMap<>();
    private static final Map<Class<?>, MessageKind<?>> BY_TYPE = new HashMap<>();

    /** Of every byte of a message, while it is decoded: one in a plain value, and one in the message. */
    private static final long COPIES = 2;
    /** A plain value with its place in a list, and the object that is made of it. */
    private static final long HEAP_BYTES_OF_VALUE = 96;

    /** A type of message and its code on the wire, which never changes. */
    record MessageKind<M extends ControlMessage>(int code, Class<M> type, Form.Shape<M> shape) {}

    static {
        Stream.of(
                        SessionCodec.KINDS,
                        TransferCodec.KINDS,
                        VerifyCodec.KINDS,
                        ErrandCodec.KINDS,
                        NettestCodec.KINDS,
                        FileCodec.KINDS)
                .flatMap(List::stream)
                .forEach(kind -> {
                    BY_CODE.put(kind.code(), kind);
                    BY_TYPE.put(kind.type(), kind);
                });
    }

    private ControlCodec() {}

    public static byte[] encode(ControlMessage message) {
        CborWriter cbor = new CborWriter();
        try {
            cbor.startMap();
            write(cbor, message);
            cbor.end();
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot fail to be written", e);
        }
        return cbor.written();
    }

    public static Set<Class<?>> types() {
        return Set.copyOf(BY_TYPE.keySet());
    }

    /** The type of a message, which its first field determines, without decoding the others. */
    public static Class<? extends ControlMessage> typeOf(byte[] bytes, String peer) {
        try {
            return kind(CborReader.firstNumber(bytes, "t")).type();
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

    private static MessageKind<?> kind(long code) throws IOException {
        MessageKind<?> kind = BY_CODE.get((int) Math.min(Integer.MAX_VALUE, code));
        if (kind == null) {
            throw new IOException("unknown message code " + code);
        }
        return kind;
    }

    /** @param peer who sent it, and the place of failures on its host */
    public static ControlMessage decode(byte[] bytes, String peer) {
        try {
            Map<String, @Nullable Object> map = Fields.map(CborReader.read(bytes), "message");
            return Form.read(
                    map, kind(Fields.count(map.get("t"), "message code")).shape(), peer);
        } catch (IOException e) {
            throw malformed(peer, e.getMessage(), e);
        }
    }

    private static TransferException malformed(String peer, @Nullable String why, Exception cause) {
        return Cause.MALFORMED.failure("malformed control message from " + peer + ": " + why, cause);
    }

    @SuppressWarnings("unchecked") // the lookup is by the message's own class
    private static <M extends ControlMessage> void write(CborWriter cbor, M message) throws IOException {
        MessageKind<M> kind = (MessageKind<M>) Objects.requireNonNull(BY_TYPE.get(message.getClass()));
        cbor.name("t");
        cbor.number(kind.code());
        Form.write(cbor, message, kind.shape());
    }
}
