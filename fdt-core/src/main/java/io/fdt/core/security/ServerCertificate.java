package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;

/** A server's certificate from an authority, with the chain to it and its key, as two files in PEM. Immutable. */
public final class ServerCertificate {
    private static final int MAX_BYTES = 1 << 20;
    private static final int USED_BY_ALL = 07;
    private static final char END = '\0';

    private final String chainPem;
    private final String keyPem;
    private final KeyMaterial material;
    private final Instant ends;

    private ServerCertificate(String chainPem, String keyPem, KeyMaterial material, Instant ends) {
        this.chainPem = chainPem;
        this.keyPem = keyPem;
        this.material = material;
        this.ends = ends;
    }

    /**
     * Reads the files. USAGE if they are no certificate and key that belong together; REFUSED if all may read the key.
     *
     * @param chain the server's certificate first, and then those between it and its authority
     */
    public static ServerCertificate read(Path chain, Path key) {
        String chainPem = text(chain);
        requireOwn(key);
        return of(chainPem, text(key), chain.toString(), key.toString());
    }

    /** Returns what {@link #encoded} has returned. */
    public static ServerCertificate decoded(byte[] encoded) {
        String both = new String(encoded, StandardCharsets.ISO_8859_1);
        int end = both.indexOf(END);
        return of(both.substring(0, end), both.substring(end + 1), "the certificate", "the key");
    }

    private static ServerCertificate of(String chainPem, String keyPem, String chain, String key) {
        X509Certificate first;
        try {
            first = (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(chainPem.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (CertificateException e) {
            throw Cause.USAGE.failure(chain + " contains no certificate (PEM)", e);
        }
        try {
            TlsContext.load();
            KeyMaterial material = KeyMaterial.of(chainPem, keyPem);
            TlsContext.requireUsable(material);
            return new ServerCertificate(
                    chainPem, keyPem, material, first.getNotAfter().toInstant());
        } catch (TransferException e) {
            throw e;
        } catch (Exception e) {
            // Omits the cause, whose message may quote the file.
            throw Cause.USAGE.failure(key + " is not the private key (PEM) of the certificate in " + chain);
        }
    }

    private static String text(Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw Cause.USAGE.failure(file + " is too long for a certificate or key");
            }
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw TransferException.ofOwnFile("cannot read " + file, e, "let the user of the server read it");
        }
    }

    private static void requireOwn(Path key) {
        try {
            if (((int) Files.getAttribute(key, "unix:mode") & USED_BY_ALL) != 0) {
                throw Cause.REFUSED
                        .advise("run chmod o-rwx " + key)
                        .failure(key + " contains a secret and other users can access it");
            }
        } catch (IOException unreadable) {
            // Reading it reports the reason.
            return;
        }
    }

    /** Both files, with the key's secret, for another process of the server. */
    public byte[] encoded() {
        return (chainPem + END + keyPem).getBytes(StandardCharsets.ISO_8859_1);
    }

    KeyMaterial material() {
        return material;
    }

    /** When it expires. */
    public Instant ends() {
        return ends;
    }
}
