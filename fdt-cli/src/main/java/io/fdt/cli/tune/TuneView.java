package io.fdt.cli.tune;

import io.fdt.core.host.Host;
import io.fdt.core.host.tune.Finding;
import io.fdt.core.host.tune.TunePlan;
import io.fdt.core.host.tune.TuneRequest;
import io.fdt.core.host.tune.Tuning;
import java.util.List;

/** The output of {@code tune}. */
interface TuneView {
    void show(Host host, TuneRequest request, List<Finding> findings);

    void plan(TunePlan plan);

    /**
     * Returns the exit code.
     *
     * @param notes what the plan does not contain, and why
     */
    int applied(Tuning.Report report, List<String> notes);

    /** Returns the exit code. */
    int undone(Tuning.Report report);
}
