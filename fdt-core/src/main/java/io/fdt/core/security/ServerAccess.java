package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/**
 * What a client needs to use a server: the fingerprint to expect and a key. Its text form is one line, {@code
 * fdt-key:…}, which is a secret.
 */
public record ServerAccess(Fingerprint fingerprint, String keyId, Secret secret) implements Credential {
    /** The environment variable that may contain such a line. */
    public static final String ENVIRONMENT = "FDT_KEY";

    static final String PREFIX = "fdt-key:";

    private static final int VERSION = 1;
    private static final int KEY_ID_BYTES = 8;
    private static final int CHECKSUM_BYTES = 4;

    public static ServerAccess of(Identity server, IssuedKey key) {
        return of(server.fingerprint(), key);
    }

    static ServerAccess of(Fingerprint server, IssuedKey key) {
        return new ServerAccess(server, key.key().id(), key.secret());
    }

    public String toLine() {
        byte[] content = ByteBuffer.allocate(1 + KEY_ID_BYTES + Fingerprint.BYTES + Secret.BYTES)
                .put((byte) VERSION)
                .put(HexFormat.of().parseHex(keyId))
                .put(fingerprint.bytes())
                .put(secret.bytes())
                .array();
        byte[] line = ByteBuffer.allocate(content.length + CHECKSUM_BYTES)
                .put(content)
                .put(checksum(content))
                .array();
        return PREFIX + encode(line);
    }

    private static String encode(byte[] line) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(line);
    }

    /** Parses such a line, and ignores white space from copying and pasting; throws USAGE without quoting the line. */
    public static ServerAccess parse(String line) {
        String compact = line.replaceAll("\\s", "");
        if (!compact.startsWith(PREFIX)) {
            throw Cause.USAGE.failure("this is not an fdt key: it must begin with " + PREFIX);
        }
        String encoded = compact.substring(PREFIX.length());
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(encoded);
        } catch (IllegalArgumentException e) {
            // Omits the cause: it may quote a part of the line.
            throw mangled();
        }
        // Java ignores unused bits at the end.
        if (bytes.length <= CHECKSUM_BYTES || !encode(bytes).equals(encoded)) {
            throw mangled();
        }
        byte[] content = Arrays.copyOf(bytes, bytes.length - CHECKSUM_BYTES);
        byte[] sum = Arrays.copyOfRange(bytes, content.length, bytes.length);
        if (!MessageDigest.isEqual(sum, checksum(content))) {
            throw mangled();
        }
        ByteBuffer in = ByteBuffer.wrap(content);
        int version = in.get();
        if (version != VERSION) {
            throw Cause.VERSION.failure("this key has format " + version + ", but this fdt supports format " + VERSION);
        }
        try {
            String keyId = HexFormat.of().formatHex(take(in, KEY_ID_BYTES));
            Fingerprint fingerprint = Fingerprint.ofBytes(take(in, Fingerprint.BYTES));
            Secret secret = Secret.ofBytes(take(in, Secret.BYTES));
            if (in.hasRemaining()) {
                throw mangled();
            }
            return new ServerAccess(fingerprint, keyId, secret);
        } catch (BufferUnderflowException e) {
            throw mangled();
        }
    }

    private static TransferException mangled() {
        return Cause.USAGE.failure("this fdt key is damaged; copy the whole line again, from fdt-key: to its end");
    }

    private static byte[] take(ByteBuffer in, int lengthBytes) {
        byte[] part = new byte[lengthBytes];
        in.get(part);
        return part;
    }

    private static byte[] checksum(byte[] content) {
        MessageDigest sha256 = Fingerprint.sha256();
        sha256.update("fdt key line".getBytes(StandardCharsets.US_ASCII));
        return Arrays.copyOf(sha256.digest(content), CHECKSUM_BYTES);
    }
}
