package io.fdt.core.host;

import java.util.ArrayList;
import java.util.List;

/** The processes that have a say in where packets go: irqbalance, and the lanes of fdt. */
record ProcessReader(HostFiles files) {
    /** How the threads of lanes are named. */
    private static final String LANE = "fdt-lane-";

    /** Behind the name in {@code /proc/PID/stat}, counted from the state: the core of the last run. */
    private static final int LAST_CORE = 36;

    /** 0 when it does not run, or is frozen. */
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
            // Its main thread bears the name of the launcher; a look at every thread of every process would be long.
            if (!files.text("proc/" + pid + "/comm").equals("java")) {
                continue;
            }
            for (int thread : files.numbers("proc/" + pid + "/task", "")) {
                String directory = "proc/" + pid + "/task/" + thread;
                String name = files.text(directory + "/comm");
                if (name.startsWith(LANE)) {
                    lanes.add(new LaneThread(pid, thread, name, lastCore(directory), allowed(directory)));
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
