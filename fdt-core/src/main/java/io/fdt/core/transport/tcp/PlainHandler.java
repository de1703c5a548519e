package io.fdt.core.transport.tcp;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandler;

/**
 * Passes on every event that a subclass does not handle, like Netty's adapter. Netty reads the annotations of its own
 * adapters when the first connection is opened, for which Java generates classes: a tenth of the time of a short copy.
 */
abstract class PlainHandler implements ChannelInboundHandler {
    @Override
    public void handlerAdded(ChannelHandlerContext context) {}

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {}

    @Override
    public void channelRegistered(ChannelHandlerContext context) {
        context.fireChannelRegistered();
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext context) {
        context.fireChannelUnregistered();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        context.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        context.fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        context.fireUserEventTriggered(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.fireChannelWritabilityChanged();
    }

    @Override
    @SuppressWarnings("deprecation") // In favour of this very interface.
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.fireExceptionCaught(cause);
    }
}
