package io.fdt.core.transport.tcp;

import io.fdt.core.nativecode.Libc;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.unix.RawUnixChannelOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** TCP congestion control: the algorithms of the kernel, and the one that a socket uses. */
final class CongestionControl {
    static final String BBR = "bbr";

    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;
    private static final Path SETTINGS = Path.of("/proc/sys/net/ipv4");

    /** Read once: a module that is loaded later is visible to the next process. */
    private static final class Kernel {
        static final String DEFAULT = read("tcp_congestion_control");
        static final boolean BBR_IS_PERMITTED = !DEFAULT.equals(BBR)
                && List.of(read("tcp_available_congestion_control").split(" ")).contains(BBR)
                && (Libc.geteuid() == 0
                        || List.of(read("tcp_allowed_congestion_control").split(" "))
                                .contains(BBR));
    }

    private CongestionControl() {}

    /** @throws ChannelException if the kernel does not have it, or does not permit it */
    static void set(Channel channel, String algorithm) {
        byte[] name = algorithm.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer value = ByteBuffer.allocateDirect(name.length).put(name).flip();
        channel.config()
                .setOption(new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, name.length), value);
    }

    /** Whether sockets of this process may use BBR, and do not use it by default. */
    static boolean bbrIsPermitted() {
        return Kernel.BBR_IS_PERMITTED;
    }

    /** The default of a socket. */
    static String kernelDefault() {
        return Kernel.DEFAULT;
    }

    /** The available algorithms, for display. */
    static String available() {
        String names = read("tcp_available_congestion_control");
        return names.isEmpty() ? "see " + SETTINGS.resolve("tcp_available_congestion_control") : names;
    }

    private static String read(String setting) {
        try {
            return Files.readString(SETTINGS.resolve(setting)).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
