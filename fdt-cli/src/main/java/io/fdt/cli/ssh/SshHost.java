package io.fdt.cli.ssh;

import org.jspecify.annotations.Nullable;

/**
 * A remote side as users of rsync and scp write it: {@code USER@HOST:PATH}, or {@code HOST:/PATH} for ssh's default
 * user. Without a user, only an absolute path makes it remote, because many local names contain a colon.
 *
 * @param user to pass to ssh; empty for none
 * @param host a name, perhaps from ssh's configuration, or an address without brackets
 */
public record SshHost(String user, String host) {
    /** The host before the colon, and the path after it. */
    public record SshPath(SshHost host, String path) {}

    /** Returns null if the text has another form. */
    public static @Nullable SshPath parse(String text) {
        int slash = text.indexOf('/');
        int at = text.indexOf('@');
        int start = at > 0 && (slash < 0 || at < slash) ? at + 1 : 0;
        boolean bracketed = text.startsWith("[", start);
        int colon = bracketed ? text.indexOf("]:", start) + 1 : text.indexOf(':', start);
        if (colon <= start || (slash >= 0 && slash < colon)) {
            return null;
        }
        String host = bracketed ? text.substring(start + 1, colon - 1) : text.substring(start, colon);
        String path = text.substring(colon + 1);
        boolean plain = bracketed ? isIpv6(host) : isPlain(host);
        // A scheme is not a host, and fdt:/ is fdt:// with a missing slash.
        boolean placed =
                start > 0 ? isPlain(text.substring(0, at)) : path.matches("/(?!/)(?s:.*)") && !host.equals("fdt");
        return plain && placed ? new SshPath(new SshHost(start > 0 ? text.substring(0, at) : "", host), path) : null;
    }

    /** Whether ssh cannot mistake the word for an option. */
    private static boolean isPlain(String word) {
        return !word.isEmpty()
                && word.charAt(0) != '-'
                && word.chars().allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || "._-+\\".indexOf(c) >= 0));
    }

    private static boolean isIpv6(String address) {
        return address.indexOf(':') >= 0
                && address.chars().allMatch(c -> c < 128 && (Character.digit(c, 16) >= 0 || ":.%".indexOf(c) >= 0));
    }

    /** Returns the argument for ssh. */
    public String destination() {
        return user.isEmpty() ? host : user + "@" + host;
    }
}
