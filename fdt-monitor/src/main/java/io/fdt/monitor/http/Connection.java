package io.fdt.monitor.http;

import io.fdt.core.transport.PeerNetwork;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A connection, which serves one request after the other. Every wait has a deadline, and besides the answer itself at
 * most one channel buffer of data is unsent. For the event loop, except for the methods of {@link EventStream}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as events of the channel.
final class Connection extends SimpleChannelInboundHandler<FullHttpRequest> implements EventStream {
    private static final int PIECE_BYTES = 64 << 10;
    private static final int MAX_UNSENT_EVENTS = 8;
    private static final long LINGER_MS = 1_000;

    private enum State {
        READING,
        ANSWERING,
        STREAMING,
        ENDING
    }

    private final WebServer server;
    private final DuplexChannel channel;
    private final AtomicInteger unsentEvents = new AtomicInteger();
    private @Nullable PeerNetwork network;
    private State state = State.READING;
    private HttpVersion version = HttpVersion.HTTP_1_1;
    private boolean keepAlive;
    private boolean headOnly;
    private @Nullable Iterator<ByteBuf> pieces;
    private int eventsInChannel;
    private @Nullable Future<?> deadline;

    Connection(WebServer server, DuplexChannel channel) {
        this.server = server;
        this.channel = channel;
    }

    boolean isFromSameNetwork(Connection other) {
        return Objects.equals(network, other.network);
    }

    boolean isStream() {
        return state == State.STREAMING;
    }

    /** Any thread. */
    boolean isOpen() {
        return channel.isActive();
    }

    void close() {
        server.leave(this);
        channel.close();
    }

    private void within(long ms) {
        cancelDeadline();
        deadline = channel.eventLoop().schedule(this::close, ms, TimeUnit.MILLISECONDS);
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        InetSocketAddress from = channel.remoteAddress() instanceof InetSocketAddress address ? address : null;
        network = from == null ? null : PeerNetwork.of(from.getAddress());
        boolean takes = from == null ? server.takesUserOf(channel) : server.takesFrom(from.getAddress());
        if (!takes || !server.enter(this)) {
            channel.close();
            return;
        }
        within(server.limits().requestMs());
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest message) {
        if (state != State.READING || !channel.isActive()) {
            return;
        }
        state = State.ANSWERING;
        channel.config().setAutoRead(false);
        within(server.limits().answerMs());
        server.onRequest(this);
        Request request = Request.of(message);
        keepAlive = request != null && HttpUtil.isKeepAlive(message);
        headOnly = message.method().equals(HttpMethod.HEAD);
        version = message.protocolVersion();
        if (request == null) {
            begin(Response.text(400, "malformed"));
        } else {
            server.answer(this, request);
        }
    }

    void begin(Response response) {
        var onStream = response.stream();
        if (channel.isActive()) {
            send(response);
        }
        if (onStream != null) {
            onStream.accept(this);
        }
    }

    private void send(Response response) {
        boolean streams = response.stream() != null && !headOnly;
        keepAlive &= response.stream() == null;
        HttpResponse head =
                new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(response.status()));
        response.headers().forEach((name, value) -> head.headers().set(name, value));
        if (!streams) {
            head.headers().set(HttpHeaderNames.CONTENT_LENGTH, response.bytes());
        } else if (version.equals(HttpVersion.HTTP_1_1)) {
            HttpUtil.setTransferEncodingChunked(head, true);
        }
        HttpUtil.setKeepAlive(head.headers(), version, keepAlive);
        channel.write(head);
        if (streams) {
            state = State.STREAMING;
            cancelDeadline();
            // Only to detect that the client closes it.
            channel.config().setAutoRead(true);
            channel.flush();
        } else {
            server.hold(this, response.shared() ? 0 : response.bytes());
            pieces = pieces(headOnly ? List.of() : response.body());
            sendPieces();
        }
    }

    /** Each piece is copied when it is written, so pieces are small. */
    private static Iterator<ByteBuf> pieces(List<byte[]> body) {
        List<ByteBuf> pieces = new ArrayList<>();
        for (byte[] part : body) {
            for (int at = 0; at < part.length; at += PIECE_BYTES) {
                pieces.add(Unpooled.wrappedBuffer(part, at, Math.min(PIECE_BYTES, part.length - at)));
            }
        }
        return pieces.iterator();
    }

    private void sendPieces() {
        Iterator<ByteBuf> left = pieces;
        if (left == null) {
            return;
        }
        while (left.hasNext() && channel.isWritable()) {
            channel.write(new DefaultHttpContent(left.next()));
        }
        if (left.hasNext()) {
            channel.flush();
        } else {
            pieces = null;
            channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(sent -> onAnswered());
        }
    }

    /**
     * While no request is being answered, only error responses of the codec, which the client does not read, can fill
     * the channel.
     */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        // This is called during a write, which must not be interrupted by another one.
        channel.eventLoop().execute(state == State.READING && !channel.isWritable() ? this::close : this::sendPieces);
    }

    private void onAnswered() {
        server.release(this);
        if (!channel.isActive()) {
            return;
        }
        if (keepAlive) {
            state = State.READING;
            within(server.limits().idleMs());
        } else {
            // Drops further input: closing with unread input could lose the answer.
            state = State.ENDING;
            channel.shutdownOutput();
            within(LINGER_MS);
        }
        channel.config().setAutoRead(true);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        cancelDeadline();
        server.leave(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        close();
    }

    // ---- Event stream. Any thread.

    @Override
    public void send(byte[] piece) {
        if (unsentEvents.getAndIncrement() < MAX_UNSENT_EVENTS) {
            channel.eventLoop().execute(() -> write(piece));
        } else {
            unsentEvents.decrementAndGet();
        }
    }

    private void write(byte[] piece) {
        if (state != State.STREAMING) {
            unsentEvents.decrementAndGet();
            return;
        }
        if (eventsInChannel++ == 0) {
            within(server.limits().answerMs());
        }
        channel.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(piece)))
                .addListener(sent -> onSent());
    }

    private void onSent() {
        unsentEvents.decrementAndGet();
        if (--eventsInChannel == 0) {
            cancelDeadline();
        } else if (channel.isActive()) {
            within(server.limits().answerMs());
        }
    }

    @Override
    public void end() {
        channel.eventLoop().execute(() -> {
            if (state == State.STREAMING) {
                state = State.ENDING;
                within(LINGER_MS);
                channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(sent -> close());
            }
        });
    }

    @Override
    public void whenClosed(Runnable action) {
        channel.closeFuture().addListener(closed -> action.run());
    }
}
