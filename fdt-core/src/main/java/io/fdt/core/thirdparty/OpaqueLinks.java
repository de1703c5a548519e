package io.fdt.core.thirdparty;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Links;
import io.fdt.core.transport.MessageLink;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Links to a server that a client specified. Only the operator learns why a link failed. Refused, silent, not fdt, or
 * an unexpected server: the client cannot distinguish these, or it could scan this server's network. Messages over a
 * link come from a server that the client itself knows.
 *
 * @param operator receives the reasons for failures
 */
public record OpaqueLinks(Links links, Consumer<String> operator) implements Links {
    @Override
    public MessageLink connectLink(InetSocketAddress server, @Nullable InetSocketAddress localAddress, long timeoutMs) {
        try {
            return links.connectLink(server, localAddress, timeoutMs);
        } catch (TransferException why) {
            operator.accept("a copy to another server: " + why.getMessage());
            // The cause stays in this process, which distinguishes a host without a listener from a failing network.
            throw Cause.CANNOT_CONNECT.failure(
                    "the source's server has no connection to the target's server", why.getCause());
        }
    }

    @Override
    public void route(byte[] route) {
        links.route(route);
    }
}
