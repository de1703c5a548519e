package io.fdt.cli.ssh;

import org.jspecify.annotations.Nullable;

/**
 * A far side as users of rsync and scp write it: {@code USER@HOST:PATH}. Without the user it would be a local name with
 * a colon in it, which is why the user has to be there.
 *
 * @param user as ssh is to be told
 * @param host a name, perhaps one of ssh's own configuration, or an address without brackets
 */
public record SshHost(String user, String host) {
    /** The host before the colon and the path behind it. */
    public record Place(SshHost host, String path) {}

    /** Null when the text is no such place. */
    public static @Nullable Place parse(String text) {
        int at = text.indexOf('@');
        int slash = text.indexOf('/');
        boolean bracketed = text.startsWith("[", at + 1);
        int colon = bracketed ? text.indexOf("]:", at) + 1 : text.indexOf(':', at + 1);
        if (at <= 0 || colon <= at + 1 || (slash >= 0 && slash < colon)) {
            return null;
        }
        String user = text.substring(0, at);
        String host = bracketed ? text.substring(at + 2, colon - 1) : text.substring(at + 1, colon);
        if (!isPlain(user) || !(bracketed ? isIpv6(host) : isPlain(host))) {
            return null;
        }
        return new Place(new SshHost(user, host), text.substring(colon + 1));
    }

    /** Nothing that ssh could take for an option. */
    private static boolean isPlain(String word) {
        return !word.isEmpty()
                && word.charAt(0) != '-'
                && word.chars().allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || "._-+\\".indexOf(c) >= 0));
    }

    private static boolean isIpv6(String address) {
        return address.indexOf(':') >= 0
                && address.chars().allMatch(c -> c < 128 && (Character.digit(c, 16) >= 0 || ":.%".indexOf(c) >= 0));
    }

    /** As ssh takes it. */
    public String destination() {
        return user + "@" + host;
    }
}
