package io.fdt.core.security;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

/**
 * Encodes the only type of certificate that fdt needs: self-signed, EC P-256, without extensions. It is identified by
 * its fingerprint, so its names do not matter and it never expires. The JDK has no public API to create certificates;
 * this is the necessary part of DER.
 */
final class CertificateEncoder {
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OBJECT_ID = 0x06;
    private static final int UTF8_STRING = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int VERSION = 0xa0;

    /** 1.2.840.10045.4.3.2, ecdsa-with-SHA256. */
    private static final byte[] ECDSA_WITH_SHA256 = {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x04, 0x03, 0x02};

    /** 2.5.4.3, common name. */
    private static final byte[] COMMON_NAME = {0x55, 0x04, 0x03};

    private CertificateEncoder() {}

    static byte[] selfSigned(KeyPair keyPair, String commonName) throws GeneralSecurityException {
        byte[] algorithm = element(SEQUENCE, element(OBJECT_ID, ECDSA_WITH_SHA256));
        byte[] name = element(
                SEQUENCE,
                element(
                        SET,
                        element(
                                SEQUENCE,
                                element(OBJECT_ID, COMMON_NAME),
                                element(UTF8_STRING, commonName.getBytes(StandardCharsets.UTF_8)))));
        byte[] validity = element(
                SEQUENCE,
                element(UTC_TIME, ascii("200101000000Z")),
                // RFC 5280: a certificate without a well-defined end.
                element(GENERALIZED_TIME, ascii("99991231235959Z")));
        byte[] toBeSigned = element(
                SEQUENCE,
                element(VERSION, element(INTEGER, new byte[] {2})),
                element(INTEGER, new BigInteger(1, Secrets.random(16)).setBit(0).toByteArray()),
                algorithm,
                name,
                validity,
                name,
                keyPair.getPublic().getEncoded());

        Signature signer = Signature.getInstance("SHA256withECDSA");
        signer.initSign(keyPair.getPrivate());
        signer.update(toBeSigned);
        byte[] signature = signer.sign();

        return element(SEQUENCE, toBeSigned, algorithm, element(BIT_STRING, new byte[] {0}, signature));
    }

    static X509Certificate parse(byte[] encoded) throws GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        try {
            return (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(encoded));
        } catch (RuntimeException mistake) {
            // The Java runtime's parser fails like this on lengths that exceed the certificate.
            throw new CertificateException("not a certificate", mistake);
        }
    }

    /** Checks only that the bytes are one element of the length that it claims, so that a cut file is recognized. */
    static void requireWhole(byte[] encoded) throws CertificateException {
        boolean whole = encoded.length >= 4
                && (encoded[0] & 0xff) == SEQUENCE
                && (encoded[1] & 0xff) == 0x82
                && encoded.length == 4 + ((encoded[2] & 0xff) << 8 | (encoded[3] & 0xff));
        if (!whole) {
            throw new CertificateException("not a certificate");
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] element(int tag, byte[]... contents) {
        int length = 0;
        for (byte[] content : contents) {
            length += content.length;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + 4);
        out.write(tag);
        if (length < 0x80) {
            out.write(length);
        } else if (length <= 0xff) {
            out.write(0x81);
            out.write(length);
        } else {
            out.write(0x82);
            out.write(length >>> 8);
            out.write(length);
        }
        for (byte[] content : contents) {
            out.writeBytes(content);
        }
        return out.toByteArray();
    }
}
