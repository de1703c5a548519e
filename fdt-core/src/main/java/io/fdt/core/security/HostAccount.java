package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.NativeCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** An account of this host, as the C library finds it: in files, or in a directory service. */
public final class HostAccount {
    private static final int ENOENT = 2;
    private static final Path GROUPS = Path.of("/etc/group");

    private final String name;
    private final int[] numbers;

    private HostAccount(String name, int[] numbers) {
        this.name = name;
        this.numbers = numbers;
    }

    /** Returns an account that another process has looked up, with its {@link #numbers}. */
    public static HostAccount of(String name, int[] numbers) {
        if (numbers.length < 2) {
            throw Cause.USAGE.failure("an account has a user and a group");
        }
        return new HostAccount(name, numbers.clone());
    }

    /** Looks the account up, which may take a while; USAGE if there is none, UNAVAILABLE without an answer. */
    public static HostAccount named(String name) {
        if (Files.exists(GROUPS) && !Files.isReadable(GROUPS)) {
            // The C library would find no groups besides the account's own.
            throw Cause.UNAVAILABLE.failure("cannot look up the account " + name + ": cannot read " + GROUPS);
        }
        int[] reason = new int[1];
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        int[] numbers = name.isEmpty() || name.indexOf(0) >= 0
                ? null
                : NativeCode.account(Arrays.copyOf(text, text.length + 1), reason);
        if (numbers == null) {
            throw reason[0] == 0 || reason[0] == ENOENT
                    ? Cause.USAGE.failure("there is no account " + name + " on this host")
                    : Cause.UNAVAILABLE.failure("cannot look up the account " + name + ": " + Libc.strerror(reason[0]));
        }
        return new HostAccount(name, numbers);
    }

    public String name() {
        return name;
    }

    /** Returns the numbers of the user, of its group, and of all its groups. */
    public int[] numbers() {
        return numbers.clone();
    }

    public boolean isRoot() {
        return numbers[0] == 0;
    }

    /**
     * Makes this process one of the account and its groups, for good and without any capability. From then on other
     * processes of the account can neither read its memory nor trace it.
     */
    public void become() {
        int reason = NativeCode.become(numbers[0], numbers[1], Arrays.copyOfRange(numbers, 2, numbers.length));
        if (reason != 0) {
            throw Cause.REFUSED
                    .advise("run the server as root with CAP_SETUID and CAP_SETGID")
                    .failure("cannot become the account " + name + ": " + Libc.strerror(reason));
        }
    }
}
