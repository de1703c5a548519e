package io.fdt.core.transport.tcp;

import io.fdt.core.transport.AcceptFailures;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Reports connections that a listening channel cannot accept. Netty itself pauses for a second after each failure. */
public final class AcceptWatch extends ChannelInboundHandlerAdapter {
    private final AcceptFailures failures;

    public AcceptWatch(AcceptFailures failures) {
        this.failures = failures;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
        failures.onAccepted();
        context.fireChannelRead(accepted);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failures.onFailure(Failures.reason(cause));
        context.fireExceptionCaught(cause);
    }
}
