package io.fdt.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A tree with every unusual case that a Linux file system allows: names of arbitrary bytes, depth, links of all kinds,
 * modes, extreme times, xattrs, holes, and sizes at the boundaries of leaves and chunks. Python creates it, because
 * Java cannot create files with such names.
 */
final class OddTree {
    private static final String SCRIPT = """
            import os, random, sys
            top = os.fsencode(sys.argv[1])
            rnd = random.Random(4711)
            LEAF, CHUNK = 128 << 10, 8 << 20
            def at(*names): return os.path.join(top, *names)
            def folder(*names, mode=None):
                os.makedirs(at(*names), exist_ok=True)
                if mode is not None: modes.append((at(*names), mode))
                return at(*names)
            def put(path, data=b"", mode=None):
                with open(path, "wb") as f: f.write(data)
                if mode is not None: modes.append((path, mode))
                return path
            modes = []

            ODD = [b"new\\nline", b"\\xff\\xfe not utf-8", b"\\xc3", b"-rf", b"--delete", b"-", b" leading", b"trailing ",
                   b"tab\\there", b"carriage\\rreturn", b"\\x1b[31mred\\x1b[0m", b"\\x1b]0;title\\x07", b"\\x01\\x02\\x7f",
                   b"back\\\\slash", b'quo"te', b"'single'", b"*", b"?[glob]{a,b}", b"$HOME", b"`id`", b"~", b"#hash", b"%41%2e",
                   b"...", b"..hidden", b".hidden", b"a:b", b"host:path", b"C:", b"&;|<>()", b"!",
                   "e\\u0301".encode(), "\\u00e9".encode(), "\\u202egnp.exe".encode(), "\\U0001f4be".encode(),
                   b"n" * 255, "\\u00fc".encode() * 127, b"\\n" * 255, b"\\xfe" * 255, b"x.part", b".x.fdt", b"x.fdt-partial"]
            folder(b"names")
            for n in ODD:
                put(at(b"names", n), b"I am " + n)
                put(os.path.join(folder(b"folders", n), n), b"inside " + n)

            folder(b"empty"); folder(b"empty2", b"empty3", b"empty4")
            deep = []
            while len(b"/".join(deep)) < 3600: deep.append(b"d" * (250 - len(deep)))
            folder(*deep)
            put(at(*deep, b"f" * 200), b"far down")
            os.symlink(b"../" * len(deep) + b"names", at(*deep, b"up"))

            links = folder(b"links")
            for name, to in [(b"dangling", b"nowhere"), (b"relative", b"../names/-rf"), (b"absolute", b"/etc/passwd"),
                             (b"absolute-dangling", b"/nonexistent/x"), (b"to-dir", b"../folders"), (b"to-dir-slash", b"../empty/"),
                             (b"outside", b"../../../../../../../../etc"), (b"chain1", b"chain2"), (b"chain2", b"chain3"),
                             (b"chain3", b"relative"), (b"self", b"self"), (b"loop-a", b"loop-b"), (b"loop-b", b"loop-a"),
                             (b"odd", b"to\\nan \\xff odd\\x1b[0m place "), (b"long", b"l/" * 2000), (b"dot", b"."), (b"dotdot", b".."),
                             (b"-dash", b"-dash-to"), (b"n" * 255, b"x")]:
                os.symlink(to, os.path.join(links, name))

            folder(b"modes")
            for m in (0o0000, 0o0400, 0o0200, 0o0444, 0o0755, 0o0777, 0o1644, 0o2755, 0o4755, 0o6711, 0o7777):
                put(at(b"modes", b"f%04o" % m), b"%o" % m, mode=m)
                put(os.path.join(folder(b"modes", b"d%04o" % m, mode=m), b"child"), b"child")

            sizes = folder(b"sizes")
            for n in (0, 1, 2, 4095, 4096, 4097, LEAF - 1, LEAF, LEAF + 1, 2 * LEAF, 3 * LEAF + 7,
                      CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + LEAF + 12345):
                put(os.path.join(sizes, b"s%d" % n), rnd.randbytes(n))
            small = folder(b"small")
            for i in range(400): put(os.path.join(small, b"f%03d" % i), rnd.randbytes(rnd.randrange(6000)))

            sparse = folder(b"sparse")
            def holes(name, size, *data):
                with open(os.path.join(sparse, name), "wb") as f:
                    f.truncate(size)
                    for offset, length in data:
                        f.seek(offset); f.write(rnd.randbytes(length))
            holes(b"all", 20 << 20)
            holes(b"all-odd-size", (20 << 20) + 4321)
            holes(b"begin", 20 << 20, (19 << 20, 1 << 20))
            holes(b"end", 20 << 20, (0, 1 << 20))
            holes(b"middle", 20 << 20, (0, 300000), ((20 << 20) - 300000, 300000))
            holes(b"islands", 40 << 20, *[(i << 20, 4096) for i in range(1, 40, 3)])
            holes(b"unaligned", 9 << 20, (5000000, 1), (7 << 20, 10))
            holes(b"first-chunk", (16 << 20) + 5, (8 << 20, 8 << 20))
            put(os.path.join(sparse, b"zeros-but-dense"), bytes(3 << 20))

            try:
                x = put(at(b"xattr-file"), b"with attributes")
                os.setxattr(x, b"user.origin", b"somewhere")
                os.setxattr(x, b"user.empty", b"")
                os.setxattr(x, b"user.binary", bytes(range(256)))
                os.setxattr(x, b"user.long", b"v" * 1500)
                os.setxattr(x, b"user.\\xc3\\xbc name", b"odd name")
                os.setxattr(folder(b"xattr-dir"), b"user.origin", b"a directory")
            except OSError as e:
                print("xattrs:", e)

            folder(b"times", b"dir-1969"); folder(b"times", b"dir-2100")
            TIMES = {b"ns": 1700000000_123456789, b"one-ns": 1700000000_000000001, b"all-nines": 1700000000_999999999,
                     b"epoch": 0, b"1969": -1_000000000, b"1969-half": -500000000, b"1969-ns": -1, b"1901": -2147400000_000000000,
                     b"2038": 2147483648_000000000, b"2100": 4102444800_500000000, b"2200": 7258118400_000000007}
            for name in TIMES: put(at(b"times", name), name)
            os.symlink(b"epoch", at(b"times", b"link-2100"))

            for path, mode in modes: os.chmod(path, mode)
            for here, folders, files in os.walk(top, topdown=False):
                for n in files + folders:
                    os.utime(os.path.join(here, n), ns=(1, rnd.randrange(10**18, 17 * 10**17)), follow_symlinks=False)
            for name, ns in TIMES.items(): os.utime(at(b"times", name), ns=(0, ns))
            os.utime(at(b"times", b"link-2100"), ns=(0, 4102444800_000000001), follow_symlinks=False)
            os.utime(at(b"times"), ns=(1, 1234567890_123456789))
            os.utime(top, ns=(1, 1234567890_987654321))
            os.utime(at(b"times", b"dir-1969"), ns=(0, -1)); os.utime(at(b"times", b"dir-2100"), ns=(0, 4102444800_000000001))
            """;

    private static Path shared = Path.of("");

    private OddTree() {}

    /** Returns the tree, which is created once for all tests. Tests must not change it. */
    static synchronized Path shared() {
        if (shared.toString().isEmpty()) {
            try {
                Path parent = Files.createTempDirectory("fdt-odd");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> Shell.removeTree(parent)));
                shared = create(parent.resolve("odd"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return shared;
    }

    /** Creates the tree. Fails if the file system cannot hold all of it, so that no case is skipped silently. */
    static Path create(Path top) {
        String missing = Shell.python(SCRIPT, top);
        if (!missing.isEmpty()) {
            throw new AssertionError("this file system cannot hold the odd tree, set java.io.tmpdir: " + missing);
        }
        return top;
    }
}
