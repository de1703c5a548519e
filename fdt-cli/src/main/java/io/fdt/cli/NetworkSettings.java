package io.fdt.cli;

/** The options about the network that client and server share. */
final class NetworkSettings {
    private static final int MIN_BUFFER_BYTES = 4 << 10;
    private static final int MAX_BUFFER_BYTES = 1 << 30;
    private static final String NOT_BUILT = "this release has no RDMA transport; write tcp";

    private NetworkSettings() {}

    static NetworkOptions client(Settings settings) {
        return withLanes(settings, ClientOptions.TRANSPORT);
    }

    static NetworkOptions tests(Settings settings) {
        return withLanes(settings, NettestOptions.TRANSPORT);
    }

    private static NetworkOptions withLanes(Settings settings, Option option) {
        String transport = settings.word(option);
        if (transport.equals("rdma")) {
            throw UserText.refusal("--transport 'rdma': " + NOT_BUILT);
        }
        return of(settings, transport, settings.get(CommonOptions.PIN, Pin::parse));
    }

    /** Of a command that opens no lanes. */
    static NetworkOptions links(Settings settings) {
        return of(settings, "tcp", Pin.NONE);
    }

    static NetworkOptions server(Settings settings) {
        settings.all(ServerOptions.TRANSPORT, text -> {
            Words.among(ServerOptions.TRANSPORT.words()).parse(text);
            if (text.equals("rdma")) {
                throw new BadValueException(NOT_BUILT);
            }
            return text;
        });
        return of(settings, "tcp", settings.get(CommonOptions.PIN, Pin::parse));
    }

    private static NetworkOptions of(Settings settings, String transport, Pin pin) {
        String congestion = settings.get(CommonOptions.CONGESTION, NetworkSettings::congestion);
        return new NetworkOptions(
                settings.word(CommonOptions.IO),
                transport,
                settings.get(CommonOptions.SOCKET_BUFFER, NetworkSettings::socketBufferBytes),
                congestion.equals("auto") ? null : congestion,
                pin);
    }

    static long timeoutMs(Settings settings) {
        return settings.get(CommonOptions.TIMEOUT, Times.betweenMs(1_000, 3_600_000));
    }

    static long handshakeMs(String text) throws BadValueException {
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
            throw new BadValueException(
                    "not the name of a congestion control; write for example bbr or cubic, or auto");
        }
        return text;
    }
}
