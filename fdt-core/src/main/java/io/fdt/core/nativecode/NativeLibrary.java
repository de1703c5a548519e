package io.fdt.core.nativecode;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A library in C that fdt needs, for Linux on x86-64 and aarch64. An installed fdt loads it from the directory that its
 * launcher names in the property {@value #DIRECTORY}. {@code java -jar} loads it from {@link LibraryCache}, where the
 * first run unpacks it. Thread-safe.
 */
public final class NativeLibrary {
    /** The directory of the unpacked libraries, with a subdirectory for each machine. */
    public static final String DIRECTORY = "fdt.libraries";

    private static final String REMEDY =
            "set XDG_CACHE_HOME to a directory of your own whose file system permits execution";

    private static final int OTHERS_WRITE = 0002;
    private static final int STICKY = 01000;

    private final String machine;
    private final String fileName;
    private final String resource;

    // Guarded by this.
    private boolean loaded;
    private @Nullable TransferException failure;

    /** @param resource where the class path has it */
    private NativeLibrary(String machine, String fileName, String resource) {
        this.machine = machine;
        this.fileName = fileName;
        this.resource = resource;
    }

    /** fdt's own library. */
    static NativeLibrary ofFdt() {
        String machine = machine();
        return new NativeLibrary(machine, "libfdt.so", "io/fdt/core/nativecode/" + machine + "/libfdt.so");
    }

    /** A library of Netty, by its name without Netty's prefix and machine. */
    public static NativeLibrary ofNetty(String name) {
        String machine = machine();
        String file = "libnetty_" + name + "_" + (machine.equals("aarch64") ? "aarch_64" : machine) + ".so";
        return new NativeLibrary(machine, file, "META-INF/native/" + file);
    }

    private static String machine() {
        String arch = System.getProperty("os.arch", "");
        return arch.equals("amd64") ? "x86_64" : arch;
    }

    /** Loads the library, unless this has been done. USAGE with the reason if that is not possible on this host. */
    public synchronized void load() {
        if (failure != null) {
            throw failure;
        }
        if (!loaded) {
            try {
                loadFile();
                loaded = true;
            } catch (TransferException notHere) {
                failure = notHere;
                throw notHere;
            }
        }
    }

    private void loadFile() {
        String system = System.getProperty("os.name", "");
        if (!system.equals("Linux") || !(machine.equals("x86_64") || machine.equals("aarch64"))) {
            throw Cause.USAGE.failure("this is "
                    + system.toLowerCase(Locale.ROOT) + " on " + machine
                    + "; fdt runs on Linux on x86-64 and aarch64 only");
        }
        String installed = System.getProperty(DIRECTORY);
        if (installed != null) {
            load(Path.of(installed, machine, fileName).toAbsolutePath(), "install fdt again");
            return;
        }
        URL url = NativeLibrary.class.getClassLoader().getResource(resource);
        if (url == null) {
            throw Cause.USAGE.failure("this fdt was built without " + fileName + " for " + machine
                    + "; use a package, or build it on such a machine");
        }
        try {
            URLConnection connection = url.openConnection();
            if (connection instanceof JarURLConnection jar) {
                loadFromJar(jar);
            } else {
                // A directory of classes.
                load(Path.of(url.toURI()), "build fdt again");
            }
        } catch (IOException | URISyntaxException unreadable) {
            throw Cause.USAGE.failure(
                    "cannot read " + fileName + " in " + url + ": " + unreadable.getMessage(), unreadable);
        }
    }

    /** The cache's directory may be on a file system that does not permit execution. */
    private void loadFromJar(JarURLConnection jar) {
        Path cached = new LibraryCache(System.getenv()).file(fileName, jar);
        if (cached == null || !isLoadable(cached)) {
            loadFromTemporaryDirectory(jar);
        }
    }

    private void loadFromTemporaryDirectory(JarURLConnection jar) {
        Path directory = null;
        try {
            requireSafe(Path.of(System.getProperty("java.io.tmpdir")));
            directory = Files.createTempDirectory("fdt");
            Path file = directory.resolve(fileName);
            LibraryCache.unpack(jar, file);
            load(file, REMEDY);
        } catch (IOException e) {
            throw TransferException.ofOwnFile(
                    "cannot unpack " + fileName + " into " + System.getProperty("java.io.tmpdir"), e, REMEDY);
        } finally {
            if (directory != null) {
                delete(directory.resolve(fileName));
                delete(directory);
            }
        }
    }

    /** In a directory like /tmp without the sticky bit, others could put their own library in the place of this one. */
    private static void requireSafe(Path shared) throws IOException {
        int mode = (int) Files.getAttribute(shared, "unix:mode");
        if ((mode & OTHERS_WRITE) != 0 && (mode & STICKY) == 0) {
            throw new IOException("others can replace files there; give it mode 1777");
        }
    }

    /** What cannot be deleted now is left: the library is already loaded, or the failure is reported. */
    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            return;
        }
    }

    private static boolean isLoadable(Path file) {
        try {
            System.load(file.toString());
            return true;
        } catch (UnsatisfiedLinkError notHere) {
            return false;
        }
    }

    private static void load(Path file, String remedy) {
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError notHere) {
            throw Cause.USAGE.failure("cannot load " + file + ": " + reason(notHere, file) + "; " + remedy, notHere);
        }
    }

    /** The linker's message, which may begin with the path once or twice. */
    private static String reason(UnsatisfiedLinkError failure, Path file) {
        return String.valueOf(failure.getMessage()).replace(file + ": ", "");
    }
}
