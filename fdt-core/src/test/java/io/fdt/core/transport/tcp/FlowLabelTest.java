package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.security.Identity;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The other end of a connection sees its flow label, as a router on the way does. */
@SuppressWarnings("FutureReturnValueIgnored") // Nothing waits for the end of Netty's threads.
final class FlowLabelTest {
    private static final int LABEL = 0x2a5c3;
    private static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_FLOWLABEL_MGR = 32;
    /** The label of the packet that opened the connection. */
    private static final short OF_REMOTE = 8;

    private final BlockingQueue<Integer> labels = new LinkedBlockingQueue<>();

    /** Notes the label of each connection, and closes it. */
    private final class Labels extends PlainHandler {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            ByteBuffer request = ByteBuffer.allocateDirect(40).order(ByteOrder.nativeOrder());
            request.putShort(22, OF_REMOTE).putInt(36, 32);
            long address = Libc.addressOf(request);
            int fd = ((EpollSocketChannel) context.channel()).fd().intValue();
            int got = Libc.getsockopt(fd, IPPROTO_IPV6, IPV6_FLOWLABEL_MGR, address, address + 36);
            labels.add(got < 0 ? got : request.order(ByteOrder.BIG_ENDIAN).getInt(16));
            context.close();
        }
    }

    /** @param bound whether the client names its own address */
    private int labelOf(String host, int label, boolean bound) throws InterruptedException {
        TcpTransport.load();
        TcpSettings settings = TcpSettings.DEFAULTS.withFlowLabels(() -> label);
        MultiThreadIoEventLoopGroup loop = EventLoops.newLoop("labels");
        try (TcpTransport transport =
                TcpTransport.forClient(settings, Set.of(Identity.create().fingerprint()), accepted -> {})) {
            Channel server = new ServerBootstrap()
                    .group(loop)
                    .channel(EpollServerSocketChannel.class)
                    .childHandler(new Labels())
                    .bind(host, 0)
                    .sync()
                    .channel();
            InetSocketAddress address = (InetSocketAddress) server.localAddress();
            InetSocketAddress local = bound ? new InetSocketAddress(address.getAddress(), 0) : null;
            assertThatThrownBy(() -> transport.connectLink(address, local, 60_000))
                    .isInstanceOf(TransferException.class);
            return labels.poll(1, TimeUnit.MINUTES);
        } finally {
            loop.shutdownGracefully(0, 1, TimeUnit.MINUTES);
        }
    }

    @Test
    void theFirstPacketHasTheLabel() throws InterruptedException {
        assertThat(labelOf("::1", LABEL, false)).isEqualTo(LABEL);
        assertThat(labelOf("::1", LABEL, true)).isEqualTo(LABEL);
    }

    /** A label that the kernel refuses, and a network that has none, make no difference. */
    @Test
    void withoutTheLabelTheConnectionIsMadeAllTheSame() throws InterruptedException {
        assertThat(labelOf("::1", 1 << 20, false)).isNotEqualTo(LABEL);
        assertThat(labelOf("127.0.0.1", LABEL, false)).isNotPositive();
    }
}
