package io.fdt.cli.value;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** The addresses of this host that lanes use. */
public final class LocalAddresses {
    private LocalAddresses() {}

    /** Accepts only literals, because a name could have several addresses, and a lookup takes time. */
    public static List<InetAddress> parse(String text) throws BadValueException {
        List<InetAddress> addresses = new ArrayList<>();
        for (String one : text.split(",", -1)) {
            boolean literal = HostPort.isIpv6(one) || one.matches("\\d{1,3}(\\.\\d{1,3}){3}");
            if (!literal) {
                throw new BadValueException("not a list of local addresses; write for example 10.0.0.1,10.0.1.1");
            }
            try {
                addresses.add(InetAddress.getByName(one));
            } catch (UnknownHostException e) {
                throw new BadValueException("not an address: " + UserText.visible(one));
            }
        }
        return addresses;
    }
}
