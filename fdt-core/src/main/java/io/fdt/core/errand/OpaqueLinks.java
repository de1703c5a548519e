package io.fdt.core.errand;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.transport.Links;
import io.fdt.core.transport.MessageLink;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Links to a server that a client of this one named: why one could not be had is told to the operator only. Refused,
 * silent, not fdt, or another server than was said: to the client it is all one, or it could search this server's
 * network by its answers. Messages over a link come from the server that the client itself knows.
 *
 * @param operator is told why there is no link
 */
public record OpaqueLinks(Links links, Consumer<String> operator) implements Links {
    @Override
    public MessageLink connectLink(InetSocketAddress server, @Nullable InetSocketAddress localAddress, long timeoutMs) {
        try {
            return links.connectLink(server, localAddress, timeoutMs);
        } catch (TransferException why) {
            operator.accept("a copy to another server: " + why.getMessage());
            // The cause is for this process, which tells a machine where nobody listens from a network that fails.
            throw FailureKind.CANNOT_CONNECT.failure(
                    "the source's server has no connection to the target's server", why.getCause());
        }
    }
}
