package io.fdt.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LaneBalanceTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int PATIENCE = 2;

    /**
     * A simulation of lanes and wires, second by second: each lane carries its given rate over the wire that it is on.
     */
    private static final class Wires {
        final boolean[] up;
        final long[] wireBytes;
        final int[] wireOf;
        final long[] ids;
        final long[] laneBytes;
        final long[] rates;
        final boolean known;
        long seconds;
        long nextId;
        long foreignRate;
        int moves;

        /** @param known whether the hash shows the wire of a lane, and a dialled lane gets the requested wire */
        Wires(boolean known, int wires, int... wireOf) {
            this.known = known;
            this.up = new boolean[wires];
            Arrays.fill(up, true);
            this.wireBytes = new long[wires];
            this.wireOf = wireOf;
            this.ids = LongStream.range(0, wireOf.length).toArray();
            this.nextId = wireOf.length;
            this.laneBytes = new long[wireOf.length];
            this.rates =
                    LongStream.generate(() -> 100L << 20).limit(wireOf.length).toArray();
        }

        LaneBalance.Look second(Random random) {
            seconds++;
            for (int lane = 0; lane < wireOf.length; lane++) {
                long bytes = (long) (rates[lane] * (0.9 + 0.2 * random.nextDouble()));
                laneBytes[lane] += bytes;
                wireBytes[wireOf[lane]] += bytes + bytes / 30;
            }
            wireBytes[0] += foreignRate;
            return look();
        }

        LaneBalance.Look look() {
            List<LaneBalance.Wire> wires = new ArrayList<>();
            for (int wire = 0; wire < up.length; wire++) {
                wires.add(new LaneBalance.Wire("eth" + wire, up[wire], wireBytes[wire]));
            }
            List<LaneBalance.Stream> streams = new ArrayList<>();
            for (int lane = 0; lane < wireOf.length; lane++) {
                streams.add(new LaneBalance.Stream(lane, ids[lane], known ? wireOf[lane] : -1, laneBytes[lane]));
            }
            return new LaneBalance.Look(seconds * SECOND, wires, streams);
        }

        /** Moves each lane that is dialled again to its requested wire, or to a random one. */
        void obey(List<LaneBalance.Move> decided, Random random) {
            for (LaneBalance.Move move : decided) {
                moves++;
                ids[move.lane()] = nextId++;
                wireOf[move.lane()] = move.to() == LaneBalance.ANYWHERE ? random.nextInt(up.length) : move.to();
            }
        }

        int gap() {
            int[] counts = IntStream.range(0, up.length)
                    .filter(wire -> up[wire])
                    .map(wire -> (int)
                            IntStream.of(wireOf).filter(each -> each == wire).count())
                    .sorted()
                    .toArray();
            return counts[counts.length - 1] - counts[0];
        }

        void run(LaneBalance balance, int seconds, Random random) {
            for (int second = 0; second < seconds; second++) {
                obey(balance.decide(second(random)), random);
            }
        }
    }

    @Test
    void movesLanesToTheWireThatCarriesLessAFewAtATime() {
        Wires wires = new Wires(true, 2, 0, 0, 0, 0, 0, 0, 0, 0);
        LaneBalance balance = new LaneBalance(PATIENCE);
        Random random = new Random(1);
        List<List<LaneBalance.Move>> decided = new ArrayList<>();
        for (int second = 0; second < 20; second++) {
            List<LaneBalance.Move> moves = balance.decide(wires.second(random));
            if (!moves.isEmpty()) {
                decided.add(moves);
            }
            wires.obey(moves, random);
        }
        assertThat(decided)
                .containsExactly(
                        List.of(new LaneBalance.Move(7, 0, 1), new LaneBalance.Move(6, 0, 1)),
                        List.of(new LaneBalance.Move(5, 0, 1), new LaneBalance.Move(4, 0, 1)));
        assertThat(wires.wireOf).containsExactly(0, 0, 0, 0, 1, 1, 1, 1);
    }

    @Test
    void decidesNothingInTheFirstWindowHoweverUnevenItIs() {
        Wires wires = new Wires(true, 2, 0, 0, 0, 0);
        LaneBalance balance = new LaneBalance(PATIENCE);
        wires.run(balance, 4, new Random(1));
        assertThat(wires.moves).isZero();
        wires.run(balance, 1, new Random(1));
        assertThat(wires.moves).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"2, 0 1 0 1 0 1 0 1", "2, 0 0 1", "3, 0 1 2 0 1 2 0 1", "4, 0 1 2", "2, 0 1 1 0 1", "1, 0 0 0 0"})
    void leavesAloneWhatNoMoveMakesMoreEven(int count, String places) {
        for (boolean known : new boolean[] {true, false}) {
            Wires wires = new Wires(
                    known,
                    count,
                    List.of(places.split(" ", -1)).stream()
                            .mapToInt(Integer::parseInt)
                            .toArray());
            wires.run(new LaneBalance(PATIENCE), 600, new Random(7));
            assertThat(wires.moves).as("known %s", known).isZero();
        }
    }

    @Test
    void movesNoLanesOfUnequalRates() {
        Wires wires = new Wires(false, 2, 0, 0, 1, 1);
        wires.rates[0] *= 8;
        wires.run(new LaneBalance(PATIENCE), 120, new Random(3));
        assertThat(wires.moves).isZero();
    }

    @Test
    void movesNoLanesBesideForeignTraffic() {
        Wires wires = new Wires(false, 2, 0, 1, 0, 1);
        wires.foreignRate = 400L << 20;
        wires.run(new LaneBalance(PATIENCE), 120, new Random(3));
        assertThat(wires.moves).isZero();
    }

    @Test
    void movesNoLanesBeforeTheyHaveMovedEnoughBytes() {
        Wires wires = new Wires(true, 2, 0, 0, 0, 0);
        Arrays.fill(wires.rates, 1 << 10);
        wires.run(new LaneBalance(PATIENCE), 300, new Random(3));
        assertThat(wires.moves).isZero();
    }

    @Test
    void spreadsLanesAgainWhenAFailedWireReturns() {
        Wires wires = new Wires(true, 2, 0, 1, 0, 1, 0, 1, 0, 1);
        LaneBalance balance = new LaneBalance(PATIENCE);
        Random random = new Random(5);
        wires.run(balance, 10, random);
        wires.up[0] = false;
        Arrays.fill(wires.wireOf, 1);
        wires.run(balance, 30, random);
        assertThat(wires.moves).isZero();
        // The lanes that were dialled meanwhile do not use the wire that is up again.
        wires.up[0] = true;
        wires.run(balance, 30, random);
        assertThat(wires.moves).isEqualTo(4);
        assertThat(wires.gap()).isZero();
    }

    @Test
    void ignoresHashThatPredictsTheWrongWire() {
        Wires wires = new Wires(true, 2, 0, 0, 0, 0, 0, 0, 1, 1);
        LaneBalance balance = new LaneBalance(PATIENCE);
        Random random = new Random(11);
        for (int second = 0; second < 240; second++) {
            LaneBalance.Look look = wires.second(random);
            // The hash reports an even distribution.
            List<LaneBalance.Stream> streams = look.streams().stream()
                    .map(each -> new LaneBalance.Stream(each.lane(), each.id(), each.lane() % 2, each.bytes()))
                    .toList();
            for (LaneBalance.Move move : balance.decide(new LaneBalance.Look(look.nanos(), look.wires(), streams))) {
                assertThat(move.to()).isEqualTo(LaneBalance.ANYWHERE);
                wires.obey(List.of(move), random);
            }
        }
        assertThat(wires.gap()).isLessThan(2);
    }

    @Test
    void waitsForAMovedLaneBeforeMovingTheNext() {
        Wires wires = new Wires(false, 2, 0, 0, 0, 0);
        LaneBalance balance = new LaneBalance(PATIENCE);
        Random random = new Random(2);
        List<LaneBalance.Move> moves = List.of();
        while (moves.isEmpty()) {
            moves = balance.decide(wires.second(random));
        }
        for (int second = 0; second < 25; second++) {
            assertThat(balance.decide(wires.second(random))).isEmpty();
        }
    }

    /** Even if the lanes stay uneven, they are dialled again only rarely. */
    @Test
    void movesRarelyWhenMovesDoNotHelp() {
        Wires wires = new Wires(false, 2, 0, 0, 0, 0, 0, 0, 0, 0);
        LaneBalance balance = new LaneBalance(PATIENCE);
        Random random = new Random(2);
        int seconds = 3600;
        for (int second = 0; second < seconds; second++) {
            for (LaneBalance.Move move : balance.decide(wires.second(random))) {
                wires.moves++;
                wires.ids[move.lane()] = wires.nextId++;
            }
        }
        assertThat(balance.isOutOfMoves()).isTrue();
        assertThat(wires.moves).isBetween(16, 16 + seconds / 30);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whateverTheBeginningLanesEndSpreadWithinTheBound(boolean known) {
        int worse = 0;
        int uneven = 0;
        for (long seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            int lanes = 2 + random.nextInt(15);
            int count = 2 + random.nextInt(3);
            Wires wires = new Wires(known, count, random.ints(lanes, 0, count).toArray());
            int gap = wires.gap();
            int seconds = 900;
            wires.run(new LaneBalance(PATIENCE), seconds, random);
            String what = "seed " + seed + ", " + lanes + " lanes on " + count + " wires";
            assertThat(wires.moves).as(what).isBetween(0, 2 * lanes + seconds / 30);
            if (known) {
                assertThat(wires.gap()).as(what).isLessThan(2);
            }
            worse += wires.gap() > Math.max(1, gap) ? 1 : 0;
            uneven += wires.gap() > 1 ? 1 : 0;
        }
        assertThat(worse).isZero();
        // Where chance decides, it sometimes takes longer.
        assertThat(uneven).isLessThan(known ? 1 : 10);
    }
}
