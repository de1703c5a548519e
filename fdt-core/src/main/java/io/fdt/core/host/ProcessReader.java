package io.fdt.core.host;

import java.util.ArrayList;
import java.util.List;

/** Reads the processes that affect which cores handle packets: irqbalance, and the lanes of fdt. */
record ProcessReader(HostFiles files) {
    /** The name prefix of lane threads. */
    private static final String LANE = "fdt-lane-";

    /** The index of the core of the last run in {@code /proc/PID/stat}, counted from the state field. */
    private static final int LAST_CORE = 36;

    /** Returns 0 if it does not run, or is stopped by a signal. */
    int irqbalance() {
        for (int pid : files.numbers("proc", "")) {
            if (files.text("proc/" + pid + "/comm").equals("irqbalance")
                    && !files.text("proc/" + pid + "/stat").contains(") T ")) {
                return pid;
            }
        }
        return 0;
    }

    List<LaneThread> lanes() {
        List<LaneThread> lanes = new ArrayList<>();
        for (int pid : files.numbers("proc", "")) {
            // The main thread is named after the launcher; checking every thread of every process would take long.
            if (!files.text("proc/" + pid + "/comm").equals("java")) {
                continue;
            }
            for (int thread : files.numbers("proc/" + pid + "/task", "")) {
                String directory = "proc/" + pid + "/task/" + thread;
                String name = files.text(directory + "/comm");
                if (name.startsWith(LANE)) {
                    lanes.add(new LaneThread(pid, name, lastCore(directory), allowed(directory)));
                }
            }
        }
        return lanes;
    }

    private int lastCore(String directory) {
        String[] fields = files.stat(directory + "/stat");
        return fields.length > LAST_CORE && fields[LAST_CORE].matches("\\d{1,5}")
                ? Integer.parseInt(fields[LAST_CORE])
                : -1;
    }

    private CoreSet allowed(String directory) {
        CoreSet cores = CoreSet.ofList(files.value(directory + "/status", "Cpus_allowed_list:", ':'));
        return cores == null ? CoreSet.NONE : cores;
    }
}
