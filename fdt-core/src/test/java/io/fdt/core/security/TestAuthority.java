package io.fdt.core.security;

import static io.fdt.core.security.CertificateEncoder.element;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** An authority that issues certificates for the tests, each with a key of its own. */
public final class TestAuthority {
    private static final int SEQUENCE = 0x30;
    private static final int OBJECT_ID = 0x06;
    private static final int OCTETS = 0x04;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int DNS_NAME = 0x82;
    private static final int IP_ADDRESS = 0x87;
    private static final byte[] TRUE = {1, 1, (byte) 0xff};

    private static final byte[] ECDSA_WITH_SHA256 = {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x04, 0x03, 0x02};
    private static final byte[] COMMON_NAME = {0x55, 0x04, 0x03};
    private static final byte[] ALTERNATIVE_NAMES = {0x55, 0x1d, 0x11};
    private static final byte[] BASIC_CONSTRAINTS = {0x55, 0x1d, 0x13};

    private final KeyPair keys;
    private final byte[] name;
    private final byte[] certificate;

    private TestAuthority(KeyPair keys, byte[] name, byte[] certificate) {
        this.keys = keys;
        this.name = name;
        this.certificate = certificate;
    }

    public static TestAuthority named(String text) {
        KeyPair own = newKeys();
        byte[] name = nameOf(text);
        byte[] constraints = extension(BASIC_CONSTRAINTS, element(SEQUENCE, TRUE));
        byte[] made = sign(own.getPrivate(), name, name, own, always(), constraints);
        return new TestAuthority(own, name, made);
    }

    /** An authority that this one has certified. */
    public TestAuthority intermediate(String text) {
        KeyPair own = newKeys();
        byte[] itsName = nameOf(text);
        byte[] constraints = extension(BASIC_CONSTRAINTS, element(SEQUENCE, TRUE));
        return new TestAuthority(own, itsName, sign(keys.getPrivate(), name, itsName, own, always(), constraints));
    }

    /** A chain and its key, in PEM. */
    public record Issued(String chain, String key) {
        public Issued with(TestAuthority between) {
            return new Issued(chain + between.pem(), key);
        }

        /** Writes two files, which replace earlier ones. */
        public void write(Path chainFile, Path keyFile) {
            replace(chainFile, chain);
            replace(keyFile, key);
        }

        /** What a server of Java presents. */
        public SSLContext context() throws GeneralSecurityException, IOException {
            byte[] encoded = Base64.getMimeDecoder().decode(key.replaceAll("-----.*-----", ""));
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry(
                    "server",
                    KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(encoded)),
                    new char[0],
                    new Certificate[] {certificate(chain)});
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(keys.getKeyManagers(), null, null);
            return tls;
        }

        public ServerCertificate read(Path directory) {
            Path chainFile = directory.resolve("chain.pem");
            Path keyFile = directory.resolve("key.pem");
            write(chainFile, keyFile);
            return ServerCertificate.read(chainFile, keyFile);
        }
    }

    /** @param names DNS names, and addresses as {@code ip:ADDRESS} */
    public Issued issue(String... names) {
        return issue(List.of(names), always());
    }

    public Issued issueExpired(String... names) {
        Instant now = Instant.now();
        return issue(List.of(names), validity(now.minus(Duration.ofDays(2)), now.minus(Duration.ofDays(1))));
    }

    public Issued issueForLater(String... names) {
        Instant now = Instant.now();
        return issue(List.of(names), validity(now.plus(Duration.ofDays(1)), now.plus(Duration.ofDays(2))));
    }

    private Issued issue(List<String> names, byte[] validity) {
        KeyPair own = newKeys();
        byte[] certified = sign(
                keys.getPrivate(), name, nameOf("server"), own, validity, extension(ALTERNATIVE_NAMES, names(names)));
        return new Issued(
                pem("CERTIFICATE", certified),
                pem("PRIVATE KEY", own.getPrivate().getEncoded()));
    }

    /** That of a client of Java that trusts this authority only. */
    public SSLContext trusting() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("authority", certificate(pem()));
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trusted.getTrustManagers(), null);
        return tls;
    }

    private static Certificate certificate(String pem) throws GeneralSecurityException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
    }

    public String pem() {
        return pem("CERTIFICATE", certificate);
    }

    public Path write(Path file) {
        replace(file, pem());
        return file;
    }

    private static void replace(Path file, String text) {
        try {
            Path written = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(written, text);
            Files.setPosixFilePermissions(written, PosixFilePermissions.fromString("rw-------"));
            Files.move(written, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] names(List<String> names) {
        return element(
                SEQUENCE,
                names.stream()
                        .map(each -> each.startsWith("ip:")
                                ? element(IP_ADDRESS, address(each.substring(3)))
                                : element(DNS_NAME, each.getBytes(StandardCharsets.US_ASCII)))
                        .toArray(byte[][]::new));
    }

    private static byte[] address(String text) {
        try {
            return InetAddress.getByName(text).getAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] nameOf(String text) {
        byte[] value = element(0x0c, text.getBytes(StandardCharsets.UTF_8));
        return element(SEQUENCE, element(0x31, element(SEQUENCE, element(OBJECT_ID, COMMON_NAME), value)));
    }

    private static byte[] extension(byte[] id, byte[] content) {
        return element(0xa3, element(SEQUENCE, element(SEQUENCE, element(OBJECT_ID, id), element(OCTETS, content))));
    }

    private static byte[] always() {
        return validity(Instant.parse("2020-01-01T00:00:00Z"), Instant.parse("9999-12-31T23:59:59Z"));
    }

    private static byte[] validity(Instant from, Instant until) {
        return element(SEQUENCE, time(from), time(until));
    }

    private static byte[] time(Instant instant) {
        DateTimeFormatter form =
                DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
        return element(GENERALIZED_TIME, form.format(instant).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] sign(
            PrivateKey by, byte[] issuer, byte[] subject, KeyPair of, byte[] validity, byte[] extensions) {
        byte[] algorithm = element(SEQUENCE, element(OBJECT_ID, ECDSA_WITH_SHA256));
        byte[] toBeSigned = element(
                SEQUENCE,
                element(0xa0, element(0x02, new byte[] {2})),
                element(0x02, new BigInteger(1, Secrets.random(16)).setBit(0).toByteArray()),
                algorithm,
                issuer,
                validity,
                subject,
                of.getPublic().getEncoded(),
                extensions);
        try {
            Signature signer = Signature.getInstance("SHA256withECDSA");
            signer.initSign(by);
            signer.update(toBeSigned);
            return element(SEQUENCE, toBeSigned, algorithm, element(0x03, new byte[] {0}, signer.sign()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String label, byte[] content) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
    }
}
