package io.fdt.rdma;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Defines DiSNI's classes, and those of ours that use them, itself, so that DiSNI's {@code System.loadLibrary("disni")}
 * calls {@link #findLibrary} and gets the library of this jar, regardless of {@code java.library.path}. All other
 * classes come from the parent, including those that both sides share: {@code Transport}, its lanes, and {@link
 * RdmaSettings}.
 *
 * <p>A library belongs to one loader, so there is only one loader in a process.
 */
final class RdmaLoader extends ClassLoader {
    private static final String LIBRARY = "libdisni.so";

    private static @Nullable RdmaLoader only;

    private final String library;

    private RdmaLoader(String library) {
        super("fdt-rdma", RdmaLoader.class.getClassLoader());
        this.library = library;
    }

    /**
     * Returns the loader with its library; fails with NO_RDMA if this jar has none for the host, or it cannot be
     * unpacked.
     */
    static synchronized RdmaLoader get() {
        RdmaLoader loader = only;
        if (loader == null) {
            loader = new RdmaLoader(unpacked().toString());
            only = loader;
        }
        return loader;
    }

    /** Returns another loader, for a library file: tests use one that simulates a device. */
    static RdmaLoader over(Path library) {
        return new RdmaLoader(library.toString());
    }

    @Override
    protected @Nullable String findLibrary(String name) {
        return name.equals("disni") ? library : null;
    }

    private static boolean isOwn(String name) {
        return name.startsWith("com.ibm.disni.")
                || (name.startsWith("io.fdt.rdma.")
                        && !name.equals(Rdma.class.getName())
                        && !name.startsWith(RdmaSettings.class.getName()));
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!isOwn(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> type = findLoadedClass(name);
            if (type == null) {
                type = define(name);
            }
            if (resolve) {
                resolveClass(type);
            }
            return type;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }

    /** Writes the library to a directory that only this user can access, on a file system that allows execution. */
    private static Path unpacked() {
        String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        String resource = machine + "/" + LIBRARY;
        List<String> failures = new ArrayList<>();
        for (Path parent : places()) {
            try (InputStream in = RdmaLoader.class.getResourceAsStream(resource)) {
                if (in == null) {
                    throw Rdma.unavailable(
                            "this build of fdt has no RDMA library for " + machine
                                    + "; build it on a host with gcc, libibverbs-dev and librdmacm-dev",
                            new IOException("no resource " + resource));
                }
                Files.createDirectories(parent);
                Path directory = Files.createTempDirectory(
                        parent,
                        "fdt-rdma-",
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                Path file = directory.resolve(LIBRARY);
                directory.toFile().deleteOnExit();
                file.toFile().deleteOnExit();
                Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
                if (tryToLoad(file, failures)) {
                    return file;
                }
                Files.delete(file);
                Files.delete(directory);
            } catch (IOException elsewhere) {
                failures.add(String.valueOf(elsewhere.getMessage()));
            }
        }
        throw Rdma.unavailable(
                failures.isEmpty() ? "its library cannot be unpacked" : failures.get(0),
                new IOException(String.join("; ", failures)));
    }

    /** Tries to load a copy first, because a class whose library cannot be loaded stays unusable in its loader. */
    private static boolean tryToLoad(Path file, List<String> failures) {
        try {
            // Loaded by the application's loader; it is a copy, so the real loader can still load its own path.
            Path probe = file.resolveSibling("probe.so");
            Files.copy(file, probe, StandardCopyOption.REPLACE_EXISTING);
            try {
                System.load(probe.toString());
            } finally {
                Files.delete(probe);
            }
            return true;
        } catch (IOException | UnsatisfiedLinkError cannot) {
            failures.add(String.valueOf(cannot.getMessage()));
            return false;
        }
    }

    private static List<Path> places() {
        List<Path> places = new ArrayList<>();
        places.add(Path.of(System.getProperty("java.io.tmpdir")));
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        if (runtime != null && !runtime.isEmpty()) {
            places.add(Path.of(runtime));
        }
        places.add(Path.of(System.getProperty("user.home"), ".cache"));
        return places;
    }
}
