package io.fdt.cli.engine;

import io.fdt.cli.option.ClientOptions;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.RdmaOptions;
import io.fdt.cli.option.ServerOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Pin;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.Words;
import io.fdt.core.transport.RdmaUse.Wish;
import io.fdt.rdma.RdmaSettings;
import java.util.List;

/** Reads the options about the network that client and server share. */
public final class NetworkSettings {
    private static final int MIN_BUFFER_BYTES = 4 << 10;
    private static final int MAX_BUFFER_BYTES = 1 << 30;

    private NetworkSettings() {}

    public static NetworkOptions client(Settings settings) {
        return withLanes(settings, ClientOptions.TRANSPORT, RdmaLanes.of(settings));
    }

    public static NetworkOptions tests(Settings settings) {
        return withLanes(settings, NettestOptions.TRANSPORT, RdmaLanes.withQueues(settings));
    }

    private static NetworkOptions withLanes(Settings settings, Option option, RdmaSettings rdmaLanes) {
        String transport = settings.word(option);
        if (!transport.equals("tcp") && !transport.equals("auto")) {
            settings.given()
                    .refuse(
                            List.of(CommonOptions.SOCKET_BUFFER, CommonOptions.CONGESTION),
                            " applies only to lanes over TCP; leave it out, or change --transport");
        }
        return of(settings, transport, wish(settings, option, List.of(transport)), rdmaLanes, pin(settings));
    }

    private static Pin pin(Settings settings) {
        return settings.get(CommonOptions.PIN, Pin::parse);
    }

    /**
     * Returns how strongly RDMA is requested. A user who writes auto or an RDMA option is notified if RDMA is not
     * available; a user who writes neither is not.
     */
    private static Wish wish(Settings settings, Option option, List<String> transports) {
        if (transports.contains("rdma")) {
            return Wish.REQUIRED;
        }
        if (!transports.contains("auto")) {
            settings.given()
                    .refuse(RdmaOptions.ALL, " applies only to lanes over RDMA; leave it out, or change --transport");
            return Wish.NEVER;
        }
        boolean asked = !settings.isPreset(option) || RdmaOptions.ALL.stream().anyMatch(settings.given()::has);
        return asked ? Wish.PREFERRED : Wish.WHERE_THERE;
    }

    /** Returns the options for a command that opens no lanes. */
    public static NetworkOptions links(Settings settings) {
        return of(settings, "tcp", Wish.NEVER, RdmaSettings.DEFAULT, Pin.NONE);
    }

    public static NetworkOptions server(Settings settings) {
        List<String> transports = settings.all(ServerOptions.TRANSPORT, Words.among(ServerOptions.TRANSPORT.words()));
        return of(
                settings,
                "tcp",
                wish(settings, ServerOptions.TRANSPORT, transports),
                RdmaLanes.withQueues(settings),
                pin(settings));
    }

    private static NetworkOptions of(Settings settings, String transport, Wish rdma, RdmaSettings rdmaLanes, Pin pin) {
        String congestion = settings.get(CommonOptions.CONGESTION, NetworkSettings::congestion);
        return new NetworkOptions(
                transport,
                rdma,
                rdmaLanes,
                settings.get(CommonOptions.SOCKET_BUFFER, NetworkSettings::socketBufferBytes),
                congestion.equals("auto") ? null : congestion,
                pin);
    }

    public static long timeoutMs(Settings settings) {
        return settings.get(CommonOptions.TIMEOUT, Times.betweenMs(1_000, 3_600_000));
    }

    public static long handshakeMs(String text) throws BadValueException {
        return Times.betweenMs(100, 600_000).parse(text);
    }

    private static int socketBufferBytes(String text) throws BadValueException {
        if (text.equals("auto")) {
            return 0;
        }
        return Sizes.between(MIN_BUFFER_BYTES, MAX_BUFFER_BYTES).parse(text).intValue();
    }

    private static String congestion(String text) throws BadValueException {
        if (!text.matches("[a-z][a-z0-9_]{0,14}")) {
            throw new BadValueException("not a name of a congestion control; write for example bbr or cubic, or auto");
        }
        return text;
    }
}
