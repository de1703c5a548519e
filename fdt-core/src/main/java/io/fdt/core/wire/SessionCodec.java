package io.fdt.core.wire;

import io.fdt.core.digest.Checksums;
import io.fdt.core.wire.ControlCodec.MessageKind;
import io.fdt.core.wire.SessionMessage.AskHost;
import io.fdt.core.wire.SessionMessage.Authenticate;
import io.fdt.core.wire.SessionMessage.Bearer;
import io.fdt.core.wire.SessionMessage.Challenge;
import io.fdt.core.wire.SessionMessage.Counted;
import io.fdt.core.wire.SessionMessage.Elsewhere;
import io.fdt.core.wire.SessionMessage.Failed;
import io.fdt.core.wire.SessionMessage.Heartbeat;
import io.fdt.core.wire.SessionMessage.HostReport;
import io.fdt.core.wire.SessionMessage.Leaving;
import io.fdt.core.wire.SessionMessage.Opened;
import io.fdt.core.wire.SessionMessage.Reattach;
import io.fdt.core.wire.SessionMessage.Reattached;
import io.fdt.core.wire.SessionMessage.StageReport;
import io.fdt.core.wire.SessionMessage.Warning;
import java.io.IOException;
import java.util.List;

/** Encodes the messages that every session uses as CBOR. */
final class SessionCodec {
    private static final int MAX_PROOF_BYTES = 64;
    private static final int MAX_PORT = 65_535;

    static final List<MessageKind<?>> KINDS = List.of(
            new MessageKind<>(
                    1,
                    Challenge.class,
                    f -> new Challenge(
                            f.text("software", Challenge::software),
                            f.bytes("nonce", MAX_PROOF_BYTES, Challenge::nonce))),
            new MessageKind<>(
                    2,
                    Authenticate.class,
                    f -> new Authenticate(
                            f.name("key", Bounds.MAX_TEXT_CHARS, Authenticate::keyId),
                            f.bytes("proof", MAX_PROOF_BYTES, Authenticate::proof),
                            f.text("software", Authenticate::software))),
            new MessageKind<>(
                    31,
                    Bearer.class,
                    f -> new Bearer(
                            f.name("token", Bearer.MAX_TOKEN_CHARS, Bearer::token),
                            f.text("software", Bearer::software))),
            new MessageKind<>(4, Opened.class, SessionCodec::opened),
            new MessageKind<>(5, Failed.class, f -> new Failed(f.failure("why", Failed::why))),
            new MessageKind<>(
                    29,
                    Elsewhere.class,
                    f -> new Elsewhere(f.exactBytes("route", Elsewhere.ROUTE_BYTES, Elsewhere::route))),
            new MessageKind<>(15, Warning.class, f -> new Warning(f.text("why", Warning::message))),
            new MessageKind<>(18, Heartbeat.class, f -> new Heartbeat(f.size("heard", Heartbeat::heard))),
            new MessageKind<>(19, Leaving.class, f -> new Leaving()),
            new MessageKind<>(
                    20,
                    Reattach.class,
                    f -> new Reattach(
                            f.exactBytes("session", LaneHello.SESSION_ID_BYTES, Reattach::sessionId),
                            f.bytes("proof", MAX_PROOF_BYTES, Reattach::proof),
                            f.size("heard", Reattach::heard))),
            new MessageKind<>(21, Reattached.class, f -> new Reattached(f.size("heard", Reattached::heard))),
            new MessageKind<>(24, AskHost.class, f -> new AskHost()),
            new MessageKind<>(25, HostReport.class, f -> new HostReport(f.part(HostReport::view, HostViewCodec::view))),
            new MessageKind<>(
                    26,
                    StageReport.class,
                    f -> new StageReport(
                            f.text("limit", Bounds.MAX_NAME_CHARS, StageReport::limit),
                            f.integer("percent", 0, 100, StageReport::percent))),
            new MessageKind<>(
                    30,
                    Counted.class,
                    f -> new Counted(
                            f.size("arrived", Counted::arrived),
                            f.size("verified", Counted::verified),
                            f.size("durable", Counted::durable),
                            f.size("kept", Counted::kept),
                            f.flag("last", Counted::last))));

    private SessionCodec() {}

    private static Opened opened(Form<Opened> f) throws IOException {
        return new Opened(
                f.exactBytes("session", LaneHello.SESSION_ID_BYTES, Opened::sessionId),
                f.exactBytes("secret", 32, Opened::secret),
                f.integer("lanes", 0, Bounds.MAX_LANES, Opened::lanes),
                f.flag("clear", Opened::clearLanes),
                f.integer("rdma", 0, MAX_PORT, Opened::rdmaPort),
                new Checksums(f.integer(
                        "checksums",
                        0,
                        Checksums.ALL.bits(),
                        opened -> opened.checksums().bits())));
    }
}
