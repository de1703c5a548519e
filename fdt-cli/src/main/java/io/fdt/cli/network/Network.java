package io.fdt.cli.network;

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
import io.fdt.core.Fdt;
import io.fdt.core.security.AddressRules;
import io.fdt.core.security.Tokens;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.RdmaUse.Wish;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.rdma.Rdma;
import io.fdt.rdma.RdmaSettings;
import java.net.StandardProtocolFamily;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How this end uses the network, as the options of a command say.
 *
 * @param transport the word of the option: {@code auto}, {@code tcp} or {@code rdma}; for network tests also
 *     {@code unix} or {@code shm}
 * @param tcp without the places of lanes, which {@code pin} decides
 * @param rdma the resulting choice for lanes over RDMA; for a server, whether it accepts them
 * @param tokens where a client finds its token, and by what it trusts servers then
 */
public record Network(
        String transport, TcpSettings tcp, Pin pin, RdmaUse.Wish rdma, RdmaSettings rdmaLanes, Tokens tokens) {
    private static final int MIN_BUFFER_BYTES = 4 << 10;
    private static final int MAX_BUFFER_BYTES = 1 << 30;

    public static Network client(Settings settings) {
        return withLanes(settings, ClientOptions.TRANSPORT, RdmaLanes.of(settings), pin(settings));
    }

    /** @param pin where the lanes run, which may differ from the option */
    public static Network tests(Settings settings, Pin pin) {
        return withLanes(settings, NettestOptions.TRANSPORT, RdmaLanes.withQueues(settings), pin);
    }

    private static Network withLanes(Settings settings, Option option, RdmaSettings rdmaLanes, Pin pin) {
        String transport = settings.word(option);
        if (!transport.equals("tcp") && !transport.equals("auto")) {
            settings.given()
                    .refuse(
                            List.of(CommonOptions.SOCKET_BUFFER, CommonOptions.CONGESTION),
                            " applies only to lanes over TCP; leave it out, or change --transport");
        }
        return of(settings, transport, wish(settings, option, List.of(transport)), rdmaLanes, pin);
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
        return asked ? Wish.PREFERRED : Wish.IF_PRESENT;
    }

    /** Returns the options for a command that opens no lanes. */
    public static Network links(Settings settings) {
        return of(settings, "tcp", Wish.NEVER, RdmaSettings.DEFAULT, Pin.NONE);
    }

    public static Network server(Settings settings) {
        List<String> transports = settings.all(
                ServerOptions.TRANSPORT,
                Words.among(ServerOptions.TRANSPORT.value().words()));
        return of(
                settings,
                "tcp",
                wish(settings, ServerOptions.TRANSPORT, transports),
                RdmaLanes.withQueues(settings),
                pin(settings));
    }

    private static Network of(Settings settings, String transport, Wish rdma, RdmaSettings rdmaLanes, Pin pin) {
        String congestion = settings.get(CommonOptions.CONGESTION, Network::congestion);
        TcpSettings tcp = TcpSettings.DEFAULTS
                .withSocketBufferBytes(settings.get(CommonOptions.SOCKET_BUFFER, Network::socketBufferBytes))
                .withCongestionControl(congestion.equals("auto") ? null : congestion)
                .withFamily(family(settings));
        Tokens tokens = new Tokens(settings.file(CommonOptions.TOKEN_FILE), settings.file(CommonOptions.CA), Map.of());
        return new Network(transport, tcp, pin, rdma, rdmaLanes, tokens);
    }

    public Network withPin(Pin other) {
        return new Network(transport, tcp, other, rdma, rdmaLanes, tokens);
    }

    /** @param labels of connections over IPv6; see {@link TcpSettings.Dialled} */
    public Network withFlowLabels(IntSupplier labels) {
        TcpSettings labelled = tcp.withFlowLabels(labels);
        return new Network(transport, labelled, pin, rdma, rdmaLanes, tokens);
    }

    public Network withoutRdma() {
        return new Network(transport, tcp, pin, Wish.NEVER, rdmaLanes, tokens);
    }

    /** Returns a copy in which a write of a lane over RDMA can carry at least this many bytes. */
    public Network withRdmaBlocksFor(int bytes) {
        int blockBytes = Math.max(rdmaLanes.blocks().bytes(), RdmaLanes.blockFor(bytes));
        return new Network(transport, tcp, pin, rdma, rdmaLanes.withBlockBytes(blockBytes), tokens);
    }

    /** Returns a copy whose listening port has these limits. */
    public Network limited(int unadmitted, int connections, long handshakeMs, AddressRules allowed) {
        TcpSettings limited =
                tcp.withLimits(unadmitted, connections, handshakeMs).withAllowed(allowed);
        return new Network(transport, limited, pin, rdma, rdmaLanes, tokens);
    }

    /** Returns the library with these settings; throws USAGE for cores that this process may not use. */
    public Fdt applied(Fdt fdt) {
        return applied(fdt, PinnedLanes.of(pin));
    }

    /** Like {@link #applied(Fdt)}, for lanes to one server: lanes within this host are not pinned automatically. */
    public Fdt applied(Fdt fdt, String server) {
        return applied(fdt, PinnedLanes.to(server, pin));
    }

    private Fdt applied(Fdt fdt, LanePlaces places) {
        return fdt.withToken(tokens.file())
                .withAuthorities(tokens.authorities())
                .withNetwork(tcp.withPlaces(places))
                .withRdma(new RdmaUse(rdma, Rdma.provider(rdmaLanes)));
    }

    public static long timeoutMs(Settings settings) {
        return timeoutMs(settings, CommonOptions.TIMEOUT);
    }

    /** @param option with the default of the command */
    public static long timeoutMs(Settings settings, Option option) {
        return settings.get(option, Times.betweenMs(1_000, 3_600_000));
    }

    private static @Nullable StandardProtocolFamily family(Settings settings) {
        return switch (settings.word(CommonOptions.ADDRESSES)) {
            case "ipv4" -> StandardProtocolFamily.INET;
            case "ipv6" -> StandardProtocolFamily.INET6;
            default -> null;
        };
    }

    private static int socketBufferBytes(String text) throws BadValueException {
        if (text.equals("auto")) {
            return 0;
        }
        return Sizes.between(MIN_BUFFER_BYTES, MAX_BUFFER_BYTES).parse(text).intValue();
    }

    private static String congestion(String text) throws BadValueException {
        if (!text.equals("auto") && !text.matches("[a-z][a-z0-9_]{0,14}")) {
            throw new BadValueException("not a name of a congestion control; write for example bbr or cubic, or auto");
        }
        return text;
    }

    /**
     * Returns what is equal for networks whose connections are the same. The equality of records would take longer at
     * its first use than a short copy.
     */
    public List<?> key() {
        RdmaSettings.Blocks blocks = rdmaLanes.blocks();
        return Arrays.asList(
                transport,
                tcp.socketBufferBytes(),
                tcp.congestionControl(),
                tcp.dialled().flowLabels(),
                tcp.dialled().family(),
                pin.auto(),
                pin.cores(),
                rdma,
                List.of(blocks.toSend(), blocks.toReceive(), blocks.bytes(), blocks.signalEvery()),
                rdmaLanes.waiting().completions(),
                rdmaLanes.waiting().spinUs(),
                rdmaLanes.hugePages(),
                rdmaLanes.packetBytes(),
                tokens.file(),
                tokens.authorities());
    }
}
