package io.fdt.cli;

import io.fdt.core.plan.RawPath;
import org.jspecify.annotations.Nullable;

/**
 * A source or target as users write it.
 *
 * @param server null for a local path
 * @param path of a remote one everything from the slash after the address on, taken as it is: no percent-decoding
 */
record Location(@Nullable HostPort server, RawPath path) {
    static final String SCHEME = "fdt://";

    static Location parse(String text) throws BadValueException {
        if (text.isEmpty()) {
            throw new BadValueException("an empty path; write . for the current directory");
        }
        if (!text.startsWith(SCHEME)) {
            return new Location(null, RawPath.ofText(text));
        }
        String rest = text.substring(SCHEME.length());
        int slash = rest.indexOf('/');
        HostPort server = HostPort.parse(slash < 0 ? rest : rest.substring(0, slash));
        return new Location(server, RawPath.ofText(slash < 0 ? "/" : rest.substring(slash)));
    }

    boolean isRemote() {
        return server != null;
    }
}
