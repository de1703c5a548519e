package io.fdt.rdma;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPollCq;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Sends a message with DiSNI's own objects, from the connection manager to polling, to test its classes together with
 * the library. Runs in the class loader that has loaded the library.
 */
public final class DisniProbe implements Callable<String> {
    private static final int TIMEOUT_MS = 10_000;
    private static final int ROOM_BYTES = 4096;

    private final InetSocketAddress address;

    public DisniProbe(InetSocketAddress address) {
        this.address = address;
    }

    /** One end: its queues and a registered buffer. */
    private static final class End {
        final RdmaCmId id;
        final IbvPd pd;
        final IbvCompChannel channel;
        final IbvCQ cq;
        final IbvQP qp;
        final ByteBuffer buffer = ByteBuffer.allocateDirect(ROOM_BYTES);
        final IbvMr mr;

        End(RdmaCmId id) throws Exception {
            this.id = id;
            pd = id.getVerbs().allocPd();
            channel = id.getVerbs().createCompChannel();
            cq = id.getVerbs().createCQ(channel, 16, 0);
            cq.reqNotification(false).execute().free();
            IbvQPInitAttr attributes = new IbvQPInitAttr();
            attributes.cap().setMax_send_wr(4);
            attributes.cap().setMax_recv_wr(4);
            attributes.cap().setMax_inline_data(64);
            attributes.setQp_type(IbvQP.IBV_QPT_RC);
            attributes.setSend_cq(cq);
            attributes.setRecv_cq(cq);
            qp = id.createQP(pd, attributes);
            mr = pd.regMr(buffer, IbvMr.IBV_ACCESS_LOCAL_WRITE).execute().free().getMr();
        }

        IbvSge part(int lengthBytes) {
            IbvSge part = new IbvSge();
            part.setAddr(mr.getAddr());
            part.setLength(lengthBytes);
            part.setLkey(mr.getLkey());
            return part;
        }

        IbvWC awaitCompletion() throws Exception {
            IbvWC[] completions = {new IbvWC()};
            SVCPollCq poll = cq.poll(completions, 1);
            if (poll.execute().getPolls() == 0) {
                if (!channel.getCqEvent(cq, TIMEOUT_MS)) {
                    throw new IllegalStateException("no completion event");
                }
                cq.ackEvents(1);
                poll.execute();
            }
            if (poll.getPolls() != 1 || completions[0].getStatus() != 0) {
                throw new IllegalStateException(poll.getPolls() + " completions, status " + completions[0].getStatus());
            }
            poll.free();
            return completions[0];
        }

        void destroy() throws Exception {
            id.destroyQP();
            mr.deregMr().execute().free();
            cq.destroyCQ();
            channel.destroyCompChannel();
            pd.deallocPd();
            id.destroyId();
        }
    }

    private static RdmaCmEvent await(RdmaEventChannel channel, int kind) throws Exception {
        RdmaCmEvent event = channel.getCmEvent(TIMEOUT_MS);
        if (event == null || event.getEvent() != kind) {
            throw new IllegalStateException(
                    "not event " + kind + " but " + (event == null ? "none" : event.getEvent()));
        }
        event.ackEvent();
        return event;
    }

    private static RdmaConnParam parameters() throws Exception {
        RdmaConnParam parameters = new RdmaConnParam();
        parameters.setRetry_count((byte) 7);
        parameters.setRnr_retry_count((byte) 7);
        return parameters;
    }

    /** Returns the message as received by the server. */
    @Override
    @SuppressWarnings("JdkObsolete") // DiSNI takes lists of this type only.
    public String call() throws Exception {
        RdmaEventChannel serverEvents = RdmaEventChannel.createEventChannel();
        RdmaEventChannel clientEvents = RdmaEventChannel.createEventChannel();
        RdmaCmId listener = serverEvents.createId(RdmaCm.RDMA_PS_TCP);
        listener.bindAddr(address);
        listener.listen(4);
        RdmaCmId clientId = clientEvents.createId(RdmaCm.RDMA_PS_TCP);
        clientId.resolveAddr(null, address, TIMEOUT_MS);
        await(clientEvents, CmEvent.ADDRESS_RESOLVED);
        clientId.resolveRoute(TIMEOUT_MS);
        await(clientEvents, CmEvent.ROUTE_RESOLVED);
        End client = new End(clientId);
        clientId.connect(parameters());
        RdmaCmEvent request = await(serverEvents, CmEvent.CONNECT_REQUEST);
        End server = new End(request.getConnIdPriv());
        IbvRecvWR receive = new IbvRecvWR();
        receive.setWr_id(7);
        receive.setSg_list(new LinkedList<>(List.of(server.part(ROOM_BYTES))));
        server.qp.postRecv(List.of(receive), null).execute().free();
        server.id.accept(parameters());
        // The client's library completes the handshake when the client reads its event.
        await(clientEvents, CmEvent.ESTABLISHED);
        await(serverEvents, CmEvent.ESTABLISHED);

        byte[] word = "over DiSNI's own objects".getBytes(StandardCharsets.US_ASCII);
        client.buffer.put(word).flip();
        IbvSendWR send = new IbvSendWR();
        send.setWr_id(8);
        send.setSg_list(new LinkedList<>(List.of(client.part(word.length))));
        send.setOpcode(IbvSendWR.IBV_WR_SEND);
        send.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED | IbvSendWR.IBV_SEND_INLINE);
        client.qp.postSend(List.of(send), null).execute().free();
        IbvWC arrived = server.awaitCompletion();
        if (client.awaitCompletion().getWr_id() != 8 || arrived.getWr_id() != 7) {
            throw new IllegalStateException("another request completed");
        }
        byte[] got = new byte[arrived.getByte_len()];
        server.buffer.get(got);

        clientId.disconnect();
        await(serverEvents, CmEvent.DISCONNECTED);
        server.id.disconnect();
        client.destroy();
        server.destroy();
        listener.destroyId();
        clientEvents.destroyEventChannel();
        serverEvents.destroyEventChannel();
        return new String(got, StandardCharsets.US_ASCII);
    }
}
