package io.fdt.core.wire;

import io.fdt.core.wire.ControlCodec.MessageKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All types of messages between two sides. A message is a CBOR map that begins with the code of its type under {@code
 * t}, then has its fields under short names.
 */
final class MessageTable<T> {
    private final Class<T> family;
    private final Map<Integer, MessageKind<?>> byCode = new HashMap<>();
    private final Map<Class<?>, MessageKind<?>> byType = new HashMap<>();

    MessageTable(Class<T> family, Stream<? extends MessageKind<?>> kinds) {
        this.family = family;
        kinds.forEach(kind -> {
            byCode.put(kind.code(), kind);
            byType.put(kind.type(), kind);
        });
    }

    Set<Class<?>> types() {
        return Set.copyOf(byType.keySet());
    }

    /** @param receiver the place of failures on the host of who receives it */
    byte[] encode(T message, String receiver) {
        CborWriter cbor = new CborWriter();
        try {
            cbor.startMap();
            write(cbor, message, receiver);
            cbor.end();
        } catch (IOException e) {
            throw new UncheckedIOException("memory cannot fail to be written", e);
        }
        return cbor.written();
    }

    @SuppressWarnings("unchecked") // the lookup is by the message's own class
    private <M> void write(CborWriter cbor, M message, String receiver) throws IOException {
        MessageKind<M> kind = (MessageKind<M>) Objects.requireNonNull(byType.get(message.getClass()));
        cbor.name("t");
        cbor.number(kind.code());
        Form.write(cbor, message, kind.shape(), receiver);
    }

    /** The type of a message, which its first field determines, without decoding the others. */
    Class<? extends T> typeOf(byte[] bytes) throws IOException {
        return kind(CborReader.firstNumber(bytes, "t")).type().asSubclass(family);
    }

    /** @param sender the place of failures on its host */
    T decode(byte[] bytes, String sender) throws IOException {
        Map<String, @Nullable Object> map = Fields.map(CborReader.read(bytes), "message");
        return family.cast(
                Form.read(map, kind(Fields.count(map.get("t"), "message code")).shape(), sender));
    }

    private MessageKind<?> kind(long code) throws IOException {
        MessageKind<?> kind = byCode.get((int) Math.min(Integer.MAX_VALUE, code));
        if (kind == null) {
            throw new IOException("unknown message code " + code);
        }
        return kind;
    }
}
