package io.fdt.core.control;

import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.Resources;
import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NamesAhead;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Access to one server: the client that opens sessions with it, and the transports of their lanes. Nothing connects
 * before a session is opened. The job that uses it closes it.
 *
 * @param transports of the lanes; a verification or a copy between servers has none
 * @param owned what is closed with it: client and transports, unless another job uses them, too
 */
public record ServerConnection(Client client, LaneTransports transports, Resources owned) implements CopyPeer {
    /** The same for one of several jobs, which leaves it open. */
    public ServerConnection lent() {
        return new ServerConnection(client, transports, LENT);
    }

    @Override
    public boolean isLent() {
        return owned == LENT;
    }

    @Override
    public String transport() {
        return transports.name();
    }

    @Override
    public Session openCopy(TransferPlan plan, CopyRequest asked) throws InterruptedException {
        return client.openCopy(
                address(plan),
                localAddress(plan),
                NamesAhead.pages(asked.selection().names()),
                new OpenTransfer(NamesAhead.without(asked)),
                asked.stepMs(),
                asked.lanes().timeoutMs());
    }

    /** If the copy needs none, their transport does not matter. */
    @Override
    public SessionLanes lanes(TransferPlan plan, Session open, SessionHandler handler, Consumer<String> warnings) {
        CopyRequest request = plan.request();
        InetSocketAddress address = address(plan);
        LaneTransports.LaneRoute way = request.needsLanes()
                ? transports.choose(open, address, localAddress(plan), request.stepMs(), warnings)
                : transports.route(address);
        // The kernel keeps a lane to the rate of its first session.
        boolean goesOn = isLent() && request.lanes().rateBitsPerSecond() == 0 && way.carrier() == Carrier.TCP;
        return new ClientLanes(
                open,
                handler,
                way.transport(),
                way.server(),
                plan.localAddresses(),
                request.stepMs(),
                goesOn ? transports.left() : null);
    }

    private static InetSocketAddress address(TransferPlan plan) {
        return Client.resolved(plan.server().host(), plan.server().port());
    }

    private static @Nullable InetSocketAddress localAddress(TransferPlan plan) {
        return ClientLanes.localAddress(plan.localAddresses(), 0);
    }

    @Override
    public void close(long timeoutMs) {
        owned.close(timeoutMs);
    }
}
