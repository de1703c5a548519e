package io.fdt.core.stats;

import io.fdt.core.basic.Clock;
import io.fdt.core.stats.SessionActivity.Admission;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Kind;
import io.fdt.core.stats.SessionActivity.LaneCount;
import io.fdt.core.stats.SessionActivity.LaneReason;
import io.fdt.core.stats.SessionActivity.Work;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a session at one moment. Each method returns what is known next.
 *
 * @param work null until the session's service has begun
 * @param shard that the session copies, as {@code JOB/NUMBER}; empty if it copies none
 * @param transport a description of the transport of the lanes; empty before the first lane has joined
 * @param laneCount the last change of the number of lanes; null before the first change
 * @param ended the time of {@link Clock#SYSTEM} at which the session ended; null if it has not
 * @param summary its result; null before that is known, which may be after the end
 */
public record SessionState(
        Admission admission,
        @Nullable Work work,
        String shard,
        String transport,
        @Nullable LaneCount laneCount,
        @Nullable Long ended,
        @Nullable Summary summary) {
    static final SessionState NEW = new SessionState(new Admission("", "", null), null, "", "", null, null, null);

    /** What it does or, before that has begun, what the client requested; null if it does neither. */
    public @Nullable Kind kind() {
        return work == null ? admission.kind() : new Kind(work.service(), work.direction());
    }

    /** The direction of the session's data; outgoing if it has none. */
    public Direction direction() {
        Kind known = kind();
        return known == null ? Direction.OUT : known.direction();
    }

    public boolean isEnded() {
        return ended != null;
    }

    /** How often the number of lanes has changed for this reason. */
    public long laneChanges(LaneReason reason) {
        return laneCount == null ? 0 : laneCount.changes().getOrDefault(reason, 0L);
    }

    SessionState admit(Admission as) {
        return new SessionState(as, work, shard, transport, laneCount, ended, summary);
    }

    SessionState passOn() {
        return admit(new Admission(admission.key(), admission.purpose(), null));
    }

    SessionState begin(Work begun) {
        return new SessionState(admission, begun, shard, transport, laneCount, ended, summary);
    }

    SessionState movesShard(String named) {
        return new SessionState(admission, work, named, transport, laneCount, ended, summary);
    }

    SessionState over(String lanes) {
        return new SessionState(admission, work, shard, lanes, laneCount, ended, summary);
    }

    SessionState wantLanes(int count, LaneReason reason, String why) {
        Map<LaneReason, Long> changes = new EnumMap<>(LaneReason.class);
        changes.putAll(laneCount == null ? Map.of() : laneCount.changes());
        changes.merge(reason, 1L, Long::sum);
        LaneCount wanted = new LaneCount(count, why, changes);
        return new SessionState(admission, work, shard, transport, wanted, ended, summary);
    }

    /** Has an effect once. */
    SessionState end(long nanos) {
        return isEnded() ? this : new SessionState(admission, work, shard, transport, laneCount, nanos, summary);
    }

    SessionState conclude(Summary result) {
        return new SessionState(admission, work, shard, transport, laneCount, ended, result);
    }

    SessionState like(SessionState there) {
        Admission counted = new Admission(admission.key(), admission.purpose(), there.admission.kind());
        return new SessionState(counted, there.work, there.shard, there.transport, there.laneCount, ended, summary);
    }
}
