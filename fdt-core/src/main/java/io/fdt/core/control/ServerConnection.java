package io.fdt.core.control;

import io.fdt.core.plan.CopyValue;
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
    public Session openCopy(TransferPlan plan, TransferPlan asked) throws InterruptedException {
        return client.openCopy(
                address(plan),
                localAddress(plan),
                NamesAhead.pages(asked.find(CopyValue.NAMES)),
                new OpenTransfer(NamesAhead.without(asked)),
                asked.stepMs(),
                asked.get(CopyValue.TIMEOUT_MS));
    }

    /** If the copy needs none, their transport does not matter. */
    @Override
    public SessionLanes lanes(TransferPlan plan, Session open, SessionHandler handler, Consumer<String> warnings) {
        InetSocketAddress address = address(plan);
        LaneTransports.LaneRoute way = plan.needsLanes()
                ? transports.choose(open, address, localAddress(plan), plan.stepMs(), warnings)
                : transports.route(address);
        // The kernel keeps a lane to the rate of its first session.
        boolean goesOn = isLent() && plan.get(CopyValue.RATE_LIMIT) == 0 && way.carrier() == Carrier.TCP;
        return new ClientLanes(
                open,
                handler,
                way.transport(),
                way.server(),
                plan.get(CopyValue.LOCAL_ADDRESSES),
                plan.stepMs(),
                goesOn ? transports.left() : null);
    }

    private static InetSocketAddress address(TransferPlan plan) {
        return Client.resolved(plan.server().host(), plan.server().port());
    }

    private static @Nullable InetSocketAddress localAddress(TransferPlan plan) {
        return ClientLanes.localAddress(plan.get(CopyValue.LOCAL_ADDRESSES), 0);
    }

    @Override
    public void close(long timeoutMs) {
        owned.close(timeoutMs);
    }
}
