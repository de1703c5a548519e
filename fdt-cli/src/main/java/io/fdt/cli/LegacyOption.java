package io.fdt.cli;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** An option of legacy FDT that existing scripts use. All start with a single dash; long ones match in any case. */
enum LegacyOption {
    CLIENT("c", true),
    DIRECTORY("d", true),
    PORT("p", true),
    STREAMS("P", true),
    SOCKET_BUFFER("ss", true),
    BUFFER("bs", true),
    LIST("fl", true),
    PULL("pull", false),
    RECURSIVE("r", false),
    LIMIT("limit", true),
    MD5("md5", false),
    ONCE("S", false),
    NETTEST("nettest", false),
    ALLOW("f", true),
    LISTEN("FDT_LISTEN", true),
    WRITE_MODE("writeMode", true),
    NO_UPDATES("noupdates", false),
    BLOCKING("bio", false),
    NON_BLOCKING("nbio", false),
    SILENT("silent", false),
    VERBOSE("v", false),
    MORE_VERBOSE("vv", false),
    MAX_VERBOSE("vvv", false),
    APMON("enable_apmon", true),
    LS("ls", true),

    // Options from here on have no effect on the result, neither in legacy FDT nor now.
    NO_DELAY("N", false),
    LFS("lfs", false),
    IO_FACTOR("iof", true),
    KEEP_ALIVE("ka", true),
    READERS("rCount", true),
    WRITERS("wCount", true),
    PARTITIONS("pCount", true),
    SELECTORS("sn", true),
    PRINT_STATS("printStats", false),
    REPORT_DELAY("reportDelay", true),
    NO_LOCK("nolock", false),
    NO_LOCKS("nolocks", false);

    private final String name;
    private final boolean hasValue;

    LegacyOption(String name, boolean hasValue) {
        this.name = name;
        this.hasValue = hasValue;
    }

    String written() {
        return "-" + name;
    }

    boolean hasValue() {
        return hasValue;
    }

    /** Returns the option in a word, which may continue with {@code =} and a value. */
    static @Nullable LegacyOption of(String word) {
        if (!word.startsWith("-")) {
            return null;
        }
        int equals = word.indexOf('=');
        String name = equals < 0 ? word.substring(1) : word.substring(1, equals);
        for (LegacyOption option : values()) {
            // -p and -P differ, as do -S and -s; users have always written the long ones in mixed case.
            boolean same = option.name.length() > 2
                    ? option.name.toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))
                    : option.name.equals(name);
            if (same) {
                return option;
            }
        }
        return null;
    }
}
