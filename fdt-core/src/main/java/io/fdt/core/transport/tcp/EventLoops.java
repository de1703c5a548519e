package io.fdt.core.transport.tcp;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ThreadFactory;

/** Creates Netty's event loops, which wait in epoll. */
public final class EventLoops {
    private EventLoops() {}

    /** Returns a loop whose only thread, a daemon, has this name. USAGE if Netty's library cannot be loaded. */
    public static MultiThreadIoEventLoopGroup newLoop(String threadName) {
        NettyEpoll.load();
        ThreadFactory threads = loop -> {
            // Netty's own type of thread: its recycling caches need no lookup there.
            Thread thread = new DefaultThreadFactory(threadName, true).newThread(loop);
            thread.setName(threadName);
            return thread;
        };
        return new MultiThreadIoEventLoopGroup(1, threads, EpollIoHandler.newFactory());
    }
}
