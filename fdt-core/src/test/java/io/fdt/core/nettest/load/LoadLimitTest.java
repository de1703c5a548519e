package io.fdt.core.nettest.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which figures show which resource ran out, and from which load throughput falls. */
class LoadLimitTest {
    private static final Polls EASY = polls(100, 200, 10);
    private static final Polls FULL = polls(100, 2_300, 90);

    private static Polls polls(int polls, int messages, int full) {
        Polls made = new Polls();
        made.add(Polls.POLLS, polls);
        made.add(Polls.MESSAGES, messages);
        made.add(Polls.FULL, full);
        return made;
    }

    /** Returns a point of one second with this offered and completed load. */
    private static JsonObject point(
            int offered,
            int done,
            double waitSeconds,
            Polls client,
            Polls server,
            long splits,
            double clientBusy,
            double serverBusy) {
        return new JsonObject()
                .with("rx_buffers", 24)
                .with("tx_buffers", 8)
                .with("offered_per_second", offered)
                .with("achieved_per_second", done, 1)
                .with("offered", offered)
                .with("done", done)
                .with("seconds", 1, 6)
                .with(client.figures(""))
                .with(server.figures("server_"))
                .with("server_split_polls", splits / 100.0, 4)
                .with("tx_wait_seconds", waitSeconds, 6)
                .with("busy_local", clientBusy, 4)
                .with("busy_remote", serverBusy, 4);
    }

    private static JsonObject easy(int offered, int done) {
        return point(offered, done, 0.9, EASY, EASY, 0, 0.5, 0.5);
    }

    @Test
    void noLimitIfTheOfferedLoadIsCompleted() {
        assertThat(LoadLimit.of(point(1000, 1000, 0.9, FULL, FULL, 100, 1, 1))).isEmpty();
        assertThat(LoadLimit.of(point(1000, 970, 0.9, FULL, FULL, 100, 1, 1))).isEmpty();
        assertThat(LoadLimit.of(point(1000, 960, 0.9, FULL, FULL, 100, 1, 1))).isNotEmpty();
    }

    @Test
    void eachExhaustedResourceIsNamed() {
        assertThat(LoadLimit.of(point(1000, 500, 0.3, EASY, EASY, 0, 0.5, 0.5))).containsExactly(LoadLimit.CLIENT_TX);
        assertThat(LoadLimit.of(point(1000, 500, 0.2, FULL, EASY, 0, 0.5, 0.5))).containsExactly(LoadLimit.CLIENT_RX);
        assertThat(LoadLimit.of(point(1000, 500, 0.2, EASY, FULL, 0, 0.5, 0.5))).containsExactly(LoadLimit.SERVER_RX);
        assertThat(LoadLimit.of(point(1000, 500, 0.2, EASY, EASY, 50, 0.5, 0.5)))
                .containsExactly(LoadLimit.SERVER_TX);
        assertThat(LoadLimit.of(point(1000, 500, 0.2, EASY, EASY, 0, 0.9, 0.5))).containsExactly(LoadLimit.CLIENT_CORE);
        assertThat(LoadLimit.of(point(1000, 500, 0.2, EASY, EASY, 0, 0.5, 0.9))).containsExactly(LoadLimit.SERVER_CORE);
        assertThat(LoadLimit.of(point(1000, 500, 0.2, EASY, EASY, 0, 0.5, 0.5))).containsExactly(LoadLimit.UNKNOWN);
    }

    @Test
    void coresComeBeforeTheBuffersThatTheyFill() {
        assertThat(LoadLimit.of(point(1000, 500, 1, FULL, FULL, 100, 1, 1)))
                .containsExactly(
                        LoadLimit.SERVER_CORE,
                        LoadLimit.CLIENT_CORE,
                        LoadLimit.SERVER_RX,
                        LoadLimit.SERVER_TX,
                        LoadLimit.CLIENT_RX,
                        LoadLimit.CLIENT_TX);
    }

    @Test
    void fallIsFoundBehindTheBest() {
        List<JsonObject> points = List.of(
                easy(100, 100), easy(200, 200), easy(400, 380), easy(800, 350), easy(1600, 190), easy(3200, 100));

        LoadVerdict verdict = LoadVerdict.of(points).get(0);

        assertThat(verdict.keptUp()).isSameAs(points.get(1));
        assertThat(verdict.shortfall()).isSameAs(points.get(2));
        assertThat(verdict.best()).isSameAs(points.get(2));
        assertThat(verdict.fall()).as("350 is within the scatter").isSameAs(points.get(4));
    }

    @Test
    void plateauAndRecoveryAreNoFall() {
        LoadVerdict level = LoadVerdict.of(List.of(easy(100, 100), easy(200, 150), easy(400, 148)))
                .get(0);
        assertThat(level.fall()).isNull();
        LoadVerdict recovered = LoadVerdict.of(List.of(easy(100, 100), easy(200, 50), easy(400, 300)))
                .get(0);
        assertThat(recovered.fall()).isNull();
        assertThat(recovered.keptUp()).isNotNull();
        assertThat(recovered.best().amount("achieved_per_second")).isEqualTo(300);
        LoadVerdict never = LoadVerdict.of(List.of(easy(100, 10))).get(0);
        assertThat(never.keptUp()).isNull();
        LoadVerdict always = LoadVerdict.of(List.of(easy(100, 100))).get(0);
        assertThat(always.shortfall()).isNull();
        assertThat(LoadVerdict.of(List.of())).isEmpty();
    }
}
