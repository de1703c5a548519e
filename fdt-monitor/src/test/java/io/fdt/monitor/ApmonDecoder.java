package io.fdt.monitor;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Decodes ApMon datagrams. Written from the specification of the format, independently of the encoder. */
final class ApmonDecoder {
    record Datagram(
            String head,
            int instance,
            int sequence,
            String cluster,
            String node,
            Map<String, Object> values,
            int seconds) {}

    private ApmonDecoder() {}

    static Datagram decode(byte[] bytes, int length) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 0, length))) {
            String head = text(in);
            int instance = in.readInt();
            int sequence = in.readInt();
            String cluster = text(in);
            String node = text(in);
            int count = in.readInt();
            Map<String, Object> values = new LinkedHashMap<>();
            for (int i = 0; i < count; i++) {
                String name = text(in);
                int type = in.readInt();
                Object value = switch (type) {
                    case 0 -> text(in);
                    case 2 -> in.readInt();
                    case 4 -> in.readFloat();
                    case 5 -> in.readDouble();
                    default -> throw new IOException("no such type: " + type);
                };
                values.put(name, value);
            }
            int seconds = in.available() == 0 ? 0 : in.readInt();
            if (in.available() != 0) {
                throw new IOException(in.available() + " bytes too many");
            }
            return new Datagram(head, instance, sequence, cluster, node, values, seconds);
        }
    }

    private static String text(DataInputStream in) throws IOException {
        int length = in.readInt();
        byte[] bytes = in.readNBytes(length);
        if (bytes.length != length) {
            throw new IOException("cut off");
        }
        in.skipNBytes((4 - length % 4) % 4);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
