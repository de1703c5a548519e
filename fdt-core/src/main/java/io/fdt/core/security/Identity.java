package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A server's private key and self-signed certificate, stored in {@code identity.pem} in its home, readable only by its
 * user.
 */
public final class Identity {
    private static final String FILE = "identity.pem";
    private static final String KEY_LABEL = "PRIVATE KEY";
    private static final String CERTIFICATE_LABEL = "CERTIFICATE";

    /** In PKCS #8. */
    private final byte[] privateKey;
    /** In DER. */
    private final byte[] certificate;

    private final Fingerprint fingerprint;

    private Identity(byte[] privateKey, byte[] certificate) {
        this.privateKey = privateKey;
        this.certificate = certificate;
        this.fingerprint = Fingerprint.ofCertificate(certificate);
    }

    /**
     * Returns the identity in this home, and creates it if there is none. Servers that start at the same time get the
     * same one.
     */
    public static Identity loadOrCreate(Path home) {
        Identity present = load(home);
        if (present != null) {
            return present;
        }
        Identity made = create();
        if (new SecretFile(home, FILE).create(made.keyPem() + made.certificatePem())) {
            return made;
        }
        Identity other = load(home);
        if (other == null) {
            throw Cause.USAGE.failure(home.resolve(FILE) + " was created and removed by another"
                    + " process meanwhile; run the command again");
        }
        return other;
    }

    /** Creates an identity in this home if there is none. Does not verify an existing one, which is slow. */
    public static void createOnce(Path home) {
        if (new SecretFile(home, FILE).read() == null) {
            loadOrCreate(home);
        }
    }

    /** Returns the identity in this home; null if no server has created one. */
    public static @Nullable Identity load(Path home) {
        SecretFile file = new SecretFile(home, FILE);
        String pem = file.read();
        return pem == null ? null : fromPem(pem, file.path());
    }

    /**
     * Returns the identity's fingerprint; null if there is no identity. Does not verify that key and certificate match,
     * which is slow and done by the server, and needs no parser of certificates, for which Java loads all its security
     * providers.
     */
    static @Nullable Fingerprint fingerprintIn(Path home) {
        SecretFile file = new SecretFile(home, FILE);
        String pem = file.read();
        if (pem == null) {
            return null;
        }
        try {
            byte[] certificate = section(pem, CERTIFICATE_LABEL);
            CertificateEncoder.requireWhole(certificate);
            return Fingerprint.ofCertificate(certificate);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw damaged(file.path());
        }
    }

    /** Creates an identity that is not stored. */
    public static Identity create() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair keyPair = generator.generateKeyPair();
            return new Identity(
                    keyPair.getPrivate().getEncoded(), CertificateEncoder.selfSigned(keyPair, "fdt server"));
        } catch (GeneralSecurityException e) {
            throw Cause.INTERNAL.failure("this Java cannot make a P-256 certificate", e);
        }
    }

    public Fingerprint fingerprint() {
        return fingerprint;
    }

    private String keyPem() {
        return pem(KEY_LABEL, privateKey);
    }

    String certificatePem() {
        return pem(CERTIFICATE_LABEL, certificate);
    }

    /** Fails if they are damaged. */
    KeyMaterial material() throws Exception {
        return KeyMaterial.of(certificatePem(), keyPem());
    }

    private static Identity fromPem(String pem, Path file) {
        // What is missing on this host is no damage.
        TlsContext.load();
        try {
            Identity stored = new Identity(section(pem, KEY_LABEL), section(pem, CERTIFICATE_LABEL));
            TlsContext.requireUsable(stored.material());
            return stored;
        } catch (Exception e) {
            throw damaged(file);
        }
    }

    /** Omits the cause: the parser's message may quote the file. */
    private static TransferException damaged(Path file) {
        return Cause.USAGE.failure(
                file + " is damaged; restore it, or delete it to get a new identity, which clients must import again");
    }

    private static String pem(String label, byte[] content) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
    }

    private static byte[] section(String pem, String label) throws GeneralSecurityException {
        String begin = "-----BEGIN " + label + "-----";
        int found = pem.indexOf(begin);
        int start = found + begin.length();
        int end = found < 0 ? -1 : pem.indexOf("-----END " + label + "-----", start);
        if (end < 0) {
            throw new GeneralSecurityException("no " + label);
        }
        return Base64.getMimeDecoder().decode(pem.substring(start, end).getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public String toString() {
        return "identity " + fingerprint;
    }
}
