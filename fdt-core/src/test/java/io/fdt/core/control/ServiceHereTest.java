package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A session with a service of the same process. */
final class ServiceHereTest {
    private static final long LONG_MS = 600_000;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final TransferPlan plan =
            TransferPlan.of(TransferPlan.Direction.PUSH, List.of(RawPath.ofText("/from")), RawPath.ofText("/to"));

    /** A role with lanes that is done when the session ends, or says so itself. */
    private abstract class Role extends QuietRole {
        @Override
        public boolean takes(Class<? extends ControlMessage> type) {
            return true;
        }

        @Override
        public void onMessage(ControlMessage message) {
            events.add(((SessionMessage.Warning) message).message());
        }

        @Override
        public void onLinkClosed(@Nullable TransferException cause) {
            events.add("ended " + (cause == null ? "in order" : cause.getMessage()));
            super.onLinkClosed(cause);
        }
    }

    private static Service service(SessionHandler role) {
        return new TestService(1, true, (session, open) -> {
            session.serve(role, () -> session.send(new SessionMessage.Warning("served")));
            return session.summary(null, 0, 0, 0);
        });
    }

    /** The lane's messages have one byte. */
    private abstract static class OneByte implements LaneHandler {
        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {}

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException cause) {}
    }

    @Test
    void opensALostLaneAgainAndEndsInOrder() throws Exception {
        Role there = new Role() {
            @Override
            public LaneHandler onLane(int index, int attempt, Lane lane) {
                return new OneByte() {
                    @Override
                    public void onReceived(Block block) {
                        int came = block.buffer().get();
                        events.add("attempt " + attempt + " brought " + came);
                        if (attempt == 0) {
                            throw Cause.CONNECTION_LOST.failure("once");
                        }
                        lane.close();
                    }
                };
            }
        };
        ServiceHere peer = new ServiceHere(service(there));
        try {
            Session session = peer.openCopy(plan, plan.request());
            SessionLanes[] lanes = new SessionLanes[1];
            Role here = new Role() {
                @Override
                public LaneHandler onLane(int index, int attempt, Lane lane) {
                    return new OneByte() {
                        @Override
                        public void onSendable() {
                            Block block = lane.acquire();
                            if (block != null) {
                                block.buffer().put((byte) 7).flip();
                                lane.send(block);
                            }
                        }

                        @Override
                        public void onClosed(@Nullable TransferException cause) {
                            session.execute(() -> {
                                if (cause == null) {
                                    end();
                                } else {
                                    lanes[0].openAgain(index);
                                }
                            });
                        }
                    };
                }
            };
            lanes[0] = peer.lanes(plan, session, here, warning -> {});
            session.attach(here);
            lanes[0].request(5);
            session.run();
            session.end(null);
            assertThat(lanes[0].description()).isEqualTo("memory, clear");
            Await.until("the service has heard of the end", () -> events.contains("ended in order"));
        } finally {
            peer.close(LONG_MS);
        }
        assertThat(events)
                .containsExactlyInAnyOrder("served", "attempt 0 brought 7", "attempt 1 brought 7", "ended in order");
    }

    @Test
    void aServiceThatFailsIsHeard() throws Exception {
        ServiceHere peer = new ServiceHere(service(new Role() {
            @Override
            public boolean isDone() {
                throw Cause.TARGET.failure("not there");
            }
        }));
        try {
            Session session = peer.openCopy(plan, plan.request());
            Role here = new Role() {
                @Override
                public void onMessage(ControlMessage message) {
                    if (message instanceof SessionMessage.Failed failed) {
                        throw failed.why().exception();
                    }
                }
            };
            session.attach(here);
            assertThatThrownBy(session::run).hasMessageContaining("not there");
        } finally {
            peer.close(LONG_MS);
        }
    }
}
