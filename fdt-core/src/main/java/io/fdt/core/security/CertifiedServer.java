package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Trusts a server that has a certificate for the name or address by which the user calls it, from an authority that is
 * trusted (RFC 5280 and RFC 6125). Java's own validator checks the chain. Loaded only where a token is used.
 */
final class CertifiedServer extends ServerVerifier {
    /** Where distributions keep the certificates of the authorities that the host trusts. */
    private static final List<Path> OF_HOST = List.of(
            Path.of("/etc/ssl/certs/ca-certificates.crt"),
            Path.of("/etc/pki/tls/certs/ca-bundle.crt"),
            Path.of("/etc/ssl/ca-bundle.pem"));

    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|.*:.*");

    /** As RFC 5280 numbers the names in a certificate. */
    private static final int DNS_NAME = 2;

    private static final int IP_ADDRESS = 7;

    private final String host;
    private final X509TrustManager authorities;

    static TlsContext context(TokenAccess token) {
        return TlsContext.client(of(token.host(), token.authorities()));
    }

    private CertifiedServer(String host, X509TrustManager authorities) {
        this.host = host;
        this.authorities = authorities;
    }

    /**
     * @param host the name or address by which the user calls the server
     * @param file with the certificates of the authorities, or a directory with such files; null for those that this
     *     host trusts
     */
    static CertifiedServer of(String host, @Nullable Path file) {
        try {
            KeyStore trusted = file == null ? ofHost() : read(file);
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(trusted);
            for (TrustManager each : factory.getTrustManagers()) {
                if (each instanceof X509TrustManager manager) {
                    return new CertifiedServer(host, manager);
                }
            }
            throw new GeneralSecurityException("no validator");
        } catch (GeneralSecurityException | IOException e) {
            throw Cause.INTERNAL.failure("this Java cannot validate certificates: " + e.getMessage(), e);
        }
    }

    /** Null for those that come with Java. */
    private static @Nullable KeyStore ofHost() throws GeneralSecurityException, IOException {
        for (Path file : OF_HOST) {
            if (Files.isReadable(file)) {
                return read(file);
            }
        }
        return null;
    }

    private static KeyStore read(Path place) throws GeneralSecurityException, IOException {
        List<Certificate> found = new ArrayList<>();
        try {
            if (Files.isDirectory(place)) {
                try (DirectoryStream<Path> files = Files.newDirectoryStream(place, "*.{pem,crt}")) {
                    for (Path file : files) {
                        found.addAll(certificates(file));
                    }
                }
            } else {
                found.addAll(certificates(place));
            }
        } catch (IOException e) {
            throw TransferException.ofOwnFile("cannot read " + place, e, "use --ca to name another file");
        } catch (CertificateException e) {
            throw Cause.USAGE.failure(place + " does not contain certificates of authorities (PEM)", e);
        }
        if (found.isEmpty()) {
            throw Cause.USAGE.failure(place + " contains no certificate of an authority (PEM)");
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (int i = 0; i < found.size(); i++) {
            store.setCertificateEntry(Integer.toString(i), found.get(i));
        }
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException, CertificateException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    @Override
    void require(byte[][] encoded) throws CertificateException {
        X509Certificate[] chain = new X509Certificate[encoded.length];
        try {
            for (int i = 0; i < encoded.length; i++) {
                chain[i] = CertificateEncoder.parse(encoded[i]);
            }
        } catch (GeneralSecurityException e) {
            throw new UntrustedCertificateException("its certificate cannot be read", e);
        }
        requireInTime(chain[0]);
        try {
            authorities.checkServerTrusted(chain, "UNKNOWN");
        } catch (CertificateException e) {
            throw new UntrustedCertificateException(
                    "its certificate, for " + names(chain[0]) + ", is not from a trusted authority", e);
        }
        requireName(chain[0]);
    }

    private static void requireInTime(X509Certificate certificate) throws CertificateException {
        try {
            certificate.checkValidity();
        } catch (CertificateExpiredException e) {
            throw new UntrustedCertificateException(
                    "its certificate expired at " + certificate.getNotAfter().toInstant(), e);
        } catch (CertificateNotYetValidException e) {
            throw new UntrustedCertificateException(
                    "its certificate is not valid before "
                            + certificate.getNotBefore().toInstant(),
                    e);
        }
    }

    private void requireName(X509Certificate certificate) throws CertificateException {
        InetAddress address = address(host);
        for (List<?> each : alternativeNames(certificate)) {
            String name = String.valueOf(each.get(1));
            boolean same = address == null
                    ? each.get(0).equals(DNS_NAME) && covers(name, host)
                    : each.get(0).equals(IP_ADDRESS) && address.equals(address(name));
            if (same) {
                return;
            }
        }
        throw new UntrustedCertificateException(
                "its certificate is for " + names(certificate) + " and not for " + host, null);
    }

    /** Null for a name. Resolves nothing. */
    private static @Nullable InetAddress address(String text) {
        try {
            return ADDRESS.matcher(text).matches() ? InetAddress.getByName(text) : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }

    /** Not an address (RFC 6066). */
    @Override
    String indicated() {
        return address(host) == null ? normal(host) : "address.invalid";
    }

    /** Whether a name of a certificate, whose first label may be a wildcard, covers this name. */
    static boolean covers(String pattern, String name) {
        String wanted = normal(name);
        String offered = normal(pattern);
        if (!offered.startsWith("*.")) {
            return offered.equals(wanted);
        }
        int label = wanted.indexOf('.');
        String rest = offered.substring(1);
        return label > 0
                && rest.indexOf('.', 1) > 0
                && rest.indexOf('*') < 0
                && wanted.substring(label).equals(rest);
    }

    private static String normal(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    private static Collection<List<?>> alternativeNames(X509Certificate certificate) throws CertificateException {
        Collection<List<?>> names = certificate.getSubjectAlternativeNames();
        return names == null ? List.of() : names;
    }

    private static String names(X509Certificate certificate) throws CertificateException {
        List<String> names = new ArrayList<>();
        for (List<?> each : alternativeNames(certificate)) {
            if (each.get(0).equals(DNS_NAME) || each.get(0).equals(IP_ADDRESS)) {
                names.add(String.valueOf(each.get(1)));
            }
        }
        return names.isEmpty() ? "no name" : String.join(", ", names);
    }
}
