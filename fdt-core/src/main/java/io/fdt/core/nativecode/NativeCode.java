package io.fdt.core.nativecode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The library in C that the jar holds, loaded once, when the first class that has native methods asks for it. Where it was not
 * built for this processor or cannot be loaded, whoever asks has another way that does the same.
 */
public final class NativeCode {
    private static final boolean LOADED = load();

    private NativeCode() {}

    public static boolean isLoaded() {
        return LOADED;
    }

    private static boolean load() {
        String machine = System.getProperty("os.arch", "").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        try (InputStream library = NativeCode.class.getResourceAsStream(machine + "/libfdt.so")) {
            if (library == null) {
                return false;
            }
            Path file = Files.createTempFile("libfdt", ".so");
            try {
                Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
                System.load(file.toString());
            } finally {
                Files.delete(file);
            }
            return true;
        } catch (IOException | UnsatisfiedLinkError | SecurityException noLibrary) {
            return false;
        }
    }
}
