package io.fdt.core.security;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.fuzz.FuzzTarget;
import io.fdt.core.fuzz.Mutator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** The files of a home directory, the text form of a key, and the rules for addresses. */
public final class SecurityFuzz {
    private SecurityFuzz() {}

    /** @param place a directory for these targets only */
    public static List<FuzzTarget> targets(Path place) {
        return List.of(
                new Keys(place),
                new Known(place),
                new KeyLine(),
                new Pem(place),
                new Certificate(place),
                new Addresses());
    }

    private static final List<String> WORDS = List.of(
            "\n",
            " ",
            "=",
            "%",
            "%zz",
            "%00",
            "%E2%80%AE",
            "id=",
            "name=",
            "verifier=",
            "allow=list,read",
            "expires=",
            "expires=+1000000000-12-31T23:59:59Z",
            "expires=2026-02-30T00:00:00Z",
            "root=%2F",
            "owners=yes",
            "#",
            "fdt-keys 1\n",
            "fdt-key:",
            "*",
            "\t",
            "\r",
            "\u2028",
            "127.0.0.1:1 ",
            "127.0.0.1 ",
            "-----BEGIN ",
            "-----END PRIVATE KEY-----",
            "-----BEGIN CERTIFICATE-----",
            "AAAA",
            "====",
            "::",
            "/33",
            "/0",
            "10.0.0.0/8",
            "2001:db8::/32",
            "256",
            "0x7f",
            "00000000000");

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A file of a home, which the target writes and the reader under test reads. */
    private abstract static class HomeFile implements FuzzTarget {
        final Path home;
        private final Path file;

        HomeFile(Path place, String file) {
            this.home = place.resolve(name());
            this.file = home.resolve(file);
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.of(FailureKind.USAGE);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(512 << 10, 1024);
        }

        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            return Mutator.text(sample, other, WORDS, random);
        }

        /** Returns the contents of the file after this action in a new home. */
        byte[] made(Runnable making) {
            try {
                Files.createDirectories(home);
                making.run();
                return Files.readAllBytes(file);
            } catch (IOException e) {
                throw new AssertionError("the home is ours", e);
            }
        }

        void write(byte[] input) throws IOException {
            Files.write(file, input);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
    }

    private static final class Keys extends HomeFile {
        Keys(Path place) {
            super(place, "keys");
        }

        @Override
        public String name() {
            return "keys";
        }

        @Override
        public List<byte[]> corpus() {
            KeyStore keys = new KeyStore(home);
            return List.of(
                    made(keys::createDefaultOnce),
                    made(() -> keys.create("é =", Permission.READ_ONLY, Instant.parse("2030-01-01T00:00:00Z"))),
                    made(() -> keys.create("owner", Permission.ALL.within(List.of("/a b", "/c")), null)));
        }

        @Override
        public String run(byte[] input) throws IOException {
            write(input);
            KeyStore keys = new KeyStore(home);
            List<AccessKey> list = keys.list();
            if (!list.isEmpty()
                    && !list.get(0).equals(keys.byIds().get(list.get(0).id()))) {
                throw new AssertionError("the first key of the list is another one by its id");
            }
            return "keys " + Math.min(list.size(), 5) + " "
                    + list.stream()
                            .mapToInt(key -> key.permission().roots().size())
                            .sum();
        }
    }

    private static final class Known extends HomeFile {
        Known(Path place) {
            super(place, "known-servers");
        }

        @Override
        public String name() {
            return "known-servers";
        }

        @Override
        public List<byte[]> corpus() {
            ServerAccess access = access();
            KnownServers known = new KnownServers(home);
            return List.of(
                    made(() -> known.remember("127.0.0.1", access)),
                    made(() -> known.remember("127.0.0.1:1", access)),
                    made(() -> known.remember(KnownServers.ANY, access)));
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.of(FailureKind.USAGE, FailureKind.REFUSED, FailureKind.VERSION);
        }

        @Override
        public String run(byte[] input) throws IOException {
            write(input);
            KnownServers known = new KnownServers(home);
            int names = known.names().size();
            known.find("127.0.0.1", 1);
            return "found of " + Math.min(names, 5);
        }
    }

    private static ServerAccess access() {
        byte[] secret = new byte[Secret.BYTES];
        Arrays.fill(secret, (byte) 3);
        return new ServerAccess(Fingerprint.ofBytes(secret), "0123456789abcdef", Secret.ofBytes(secret));
    }

    /** Damages the line as text, or the bytes below its checksum, which is then recomputed. */
    private static final class KeyLine implements FuzzTarget {
        @Override
        public String name() {
            return "key-line";
        }

        @Override
        public List<byte[]> corpus() {
            String line = access().toLine();
            return List.of(utf8(line), utf8(" " + line.substring(0, 20) + "\n" + line.substring(20)));
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.of(FailureKind.USAGE, FailureKind.VERSION);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(256 << 10, 512);
        }

        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            if (random.nextBoolean()) {
                return Mutator.text(sample, other, WORDS, random);
            }
            byte[] line = Base64.getUrlDecoder().decode(access().toLine().substring(ServerAccess.PREFIX.length()));
            byte[] content = Mutator.bytes(Arrays.copyOf(line, line.length - 4), other, random);
            MessageDigest sha256 = Fingerprint.sha256();
            sha256.update(utf8("fdt key line"));
            byte[] whole = Arrays.copyOf(content, content.length + 4);
            System.arraycopy(sha256.digest(content), 0, whole, content.length, 4);
            return utf8(ServerAccess.PREFIX
                    + Base64.getUrlEncoder().withoutPadding().encodeToString(whole));
        }

        @Override
        public String run(byte[] input) {
            ServerAccess access = ServerAccess.parse(new String(input, StandardCharsets.UTF_8));
            if (!ServerAccess.parse(access.toLine()).equals(access)) {
                throw new AssertionError("a key line that was read is not written the same");
            }
            return "key";
        }
    }

    private static final class Pem extends HomeFile {
        Pem(Path place) {
            super(place, "identity.pem");
        }

        @Override
        public String name() {
            return "identity";
        }

        @Override
        public List<byte[]> corpus() {
            return List.of(made(() -> Identity.loadOrCreate(home)));
        }

        /** Checking the key creates and verifies a signature. */
        @Override
        public MemoryBound bound() {
            return new MemoryBound(4 << 20, 1024);
        }

        /** Damages the file as text, or the DER inside it. */
        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            String text = new String(sample, StandardCharsets.US_ASCII);
            String label = random.nextBoolean() ? "PRIVATE KEY" : "CERTIFICATE";
            int from = text.indexOf("-----BEGIN " + label + "-----\n") + label.length() + 17;
            int to = text.indexOf("\n-----END " + label);
            if (random.nextInt(4) == 0 || from >= to || from < label.length() + 17) {
                return Mutator.text(sample, other, WORDS, random);
            }
            byte[] der;
            try {
                der = Base64.getMimeDecoder().decode(text.substring(from, to));
            } catch (IllegalArgumentException damagedBefore) {
                return Mutator.text(sample, other, WORDS, random);
            }
            String damaged = Base64.getMimeEncoder().encodeToString(Mutator.bytes(der, der, random));
            return utf8(text.substring(0, from) + damaged + text.substring(to));
        }

        @Override
        public String run(byte[] input) throws IOException {
            write(input);
            Identity identity = Identity.load(home);
            return identity == null ? "none" : "identity";
        }
    }

    /**
     * A certificate that a server presents in TLS is untrusted until its fingerprint has been compared. The certificate
     * in a home is read too.
     */
    private static final class Certificate implements FuzzTarget {
        private final byte[] encoded;

        Certificate(Path place) {
            try {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
                generator.initialize(256);
                encoded = CertificateEncoder.selfSigned(generator.generateKeyPair(), "fdt server");
            } catch (java.security.GeneralSecurityException e) {
                throw new AssertionError(place + ": our own certificate", e);
            }
        }

        @Override
        public String name() {
            return "certificate";
        }

        @Override
        public List<byte[]> corpus() {
            return List.of(encoded);
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.noneOf(FailureKind.class);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(512 << 10, 1024);
        }

        @Override
        public String run(byte[] input) {
            try {
                return CertificateEncoder.parse(input).getVersion() + " version";
            } catch (java.security.GeneralSecurityException documented) {
                return "refused";
            }
        }
    }

    private static final class Addresses implements FuzzTarget {
        @Override
        public String name() {
            return "addresses";
        }

        @Override
        public List<byte[]> corpus() {
            return List.of(
                    utf8("192.0.2.7"),
                    utf8("10.1.0.0/16"),
                    utf8("2001:db8::/32"),
                    utf8("::ffff:10.0.0.1"),
                    utf8("::/0"));
        }

        @Override
        public Set<FailureKind> expected() {
            return EnumSet.of(FailureKind.USAGE);
        }

        @Override
        public MemoryBound bound() {
            return new MemoryBound(256 << 10, 512);
        }

        @Override
        public byte[] mutate(byte[] sample, byte[] other, SplittableRandom random) {
            return Mutator.text(sample, other, WORDS, random);
        }

        @Override
        public String run(byte[] input) {
            AddressRules rules = AddressRules.parse(List.of(new String(input, StandardCharsets.UTF_8)));
            return "rule " + rules.allow(java.net.InetAddress.getLoopbackAddress());
        }
    }
}
