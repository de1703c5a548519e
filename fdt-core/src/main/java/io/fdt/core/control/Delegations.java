package io.fdt.core.control;

import io.fdt.core.basic.Clock;
import io.fdt.core.failure.Cause;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.AccessKey;
import io.fdt.core.security.IssuedKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The active delegations of a server: one for each session that requested one, so the limit of sessions bounds them.
 * Thread-safe.
 */
public final class Delegations {
    private final Clock clock;
    private final String idPrefix;
    private final Map<String, Delegation> byId = new ConcurrentHashMap<>();

    /** @param idPrefix hex digits with which the ids of all its keys begin, so that others can find this process */
    public Delegations(Clock clock, String idPrefix) {
        this.clock = clock;
        this.idPrefix = idPrefix;
    }

    /**
     * Creates a delegation for this request, to be used within this time; REFUSED if the session cannot lend its key.
     *
     * @param retryMs for how long the push may be opened again; not positive for never
     */
    public Delegation give(Session session, TransferPlan request, long unusedMs, long retryMs) {
        AccessKey giver = session.admittedBy();
        if (giver == null) {
            throw Cause.REFUSED.failure("this server does not delegate copies");
        }
        IssuedKey key = IssuedKey.of(giver.name(), giver.permission(), giver.expires(), idPrefix);
        Delegation made = new Delegation(
                this,
                key,
                session::key,
                request,
                clock.nanoTime(),
                TimeUnit.MILLISECONDS.toNanos(unusedMs),
                TimeUnit.MILLISECONDS.toNanos(retryMs));
        byId.put(made.keyId(), made);
        return made;
    }

    @Nullable Delegation byId(String id) {
        return byId.get(id);
    }

    long nowNanos() {
        return clock.nanoTime();
    }

    void forget(Delegation delegation) {
        byId.remove(delegation.keyId());
    }
}
