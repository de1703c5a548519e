package io.fdt.core.transport.tcp;

import io.fdt.core.transport.LanePlaces;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The threads of a transport's running lanes, {@code fdt-lane-N}: one each, ended with its lane. Any thread. */
final class LaneThreads {
    private final IoHandlerFactory io;
    private final LanePlaces places;
    private final BitSet numbers = new BitSet();
    private final Set<LaneThread> running = ConcurrentHashMap.newKeySet();

    LaneThreads(IoHandlerFactory io, LanePlaces places) {
        this.io = io;
        this.places = places;
    }

    /** One lane's thread, which is also its event loop. */
    final class LaneThread {
        private final int number;
        private final MultiThreadIoEventLoopGroup group;
        private final AtomicBoolean ended = new AtomicBoolean();

        private LaneThread(int number) {
            this.number = number;
            this.group = newLoop(io, "fdt-lane-" + number, () -> places.onThread(number));
        }

        int number() {
            return number;
        }

        IoEventLoop loop() {
            return group.next();
        }

        /** Ends the thread once it is done with what it is doing. */
        void end() {
            if (ended.compareAndSet(false, true)) {
                group.terminationFuture().addListener(ended -> free(this));
                var unused = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            }
        }

        boolean awaitEnd(long timeoutNs) throws InterruptedException {
            return group.awaitTermination(timeoutNs, TimeUnit.NANOSECONDS);
        }
    }

    LaneThread start() {
        int number;
        synchronized (numbers) {
            number = numbers.nextClearBit(0);
            numbers.set(number);
        }
        try {
            LaneThread thread = new LaneThread(number);
            running.add(thread);
            return thread;
        } catch (RuntimeException | Error e) {
            free(number);
            throw e;
        }
    }

    /** Those that have not ended yet. */
    Set<LaneThread> running() {
        return running;
    }

    private void free(LaneThread thread) {
        running.remove(thread);
        free(thread.number);
    }

    private void free(int number) {
        synchronized (numbers) {
            numbers.clear(number);
        }
    }

    /** A single-threaded event loop whose thread has exactly this name. */
    static MultiThreadIoEventLoopGroup newLoop(IoHandlerFactory io, String threadName) {
        return newLoop(io, threadName, () -> {});
    }

    /** The same; the thread does this first. */
    private static MultiThreadIoEventLoopGroup newLoop(IoHandlerFactory io, String threadName, Runnable first) {
        ThreadFactory threads = loop -> {
            Runnable task = () -> {
                first.run();
                loop.run();
            };
            // Netty's own kind of thread: its recycling caches work without a lookup there.
            Thread thread = new DefaultThreadFactory(threadName, true).newThread(task);
            thread.setName(threadName);
            return thread;
        };
        return new MultiThreadIoEventLoopGroup(1, threads, io);
    }
}
