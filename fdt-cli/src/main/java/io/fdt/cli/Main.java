package io.fdt.cli;

/** The entry point of the jar. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        if (args.length == 1 && args[0].equals("--version")) {
            System.out.println("fdt " + version());
            return;
        }
        System.err.println("fdt: no commands yet, only --version");
        System.exit(2);
    }

    /** What the manifest of the built jar says, or "dev" when the classes run from a directory. */
    private static String version() {
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }
}
