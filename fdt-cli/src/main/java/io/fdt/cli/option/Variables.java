package io.fdt.cli.option;

import io.fdt.cli.value.Nearest;
import io.fdt.cli.value.UserText;
import io.fdt.core.security.ServerAccess;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The names of environment variables that begin with {@code FDT_}. One with a mistake would have no effect. */
final class Variables {
    /** Other variables of fdt, its launcher, its packages and its integrations. */
    private static final Set<String> OTHERS = Set.of(
            "FDT_HOME",
            ServerAccess.ENVIRONMENT,
            "FDT_INFLUX_TOKEN",
            "FDT_APMON_PASSWORD",
            "FDT_TRANSFER_LOG_TOKEN",
            "FDT_QUICK_START",
            "FDT_JAVA_HOME",
            "FDT_JAVA_OPTIONS",
            "FDT_SERVER_OPTIONS",
            "FDT_TUNE_OPTIONS",
            "FDT_COMMAND",
            "FDT_PYTHON",
            "FDT_ROOT",
            "FDT_URL");

    /** Those of scripts: tests, the lab, jobs of a scheduler, and monitoring. */
    private static final List<String> OF_SCRIPTS =
            List.of("FDT_TEST", "FDT_LAB", "FDT_SLURM_", "FDT_MONITORING_", "FDT_GRAFANA_", "FDT_MAVEN_", "FDT_SINCE");

    /** Kubernetes gives these to each container that may use a service whose name begins with fdt. */
    private static final String OF_SERVICES =
            "FDT_(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_.+)?)?)";

    private Variables() {}

    /** @param own the variables that begin with {@code FDT_} */
    static void requireKnown(Map<String, String> own) {
        Set<String> ofOptions = null;
        for (Map.Entry<String, String> each : own.entrySet()) {
            String name = each.getKey();
            // Shells leave a variable empty to unset it.
            if (each.getValue().isEmpty() || isOther(name)) {
                continue;
            }
            // To make all names takes a good part of a short command.
            ofOptions = ofOptions == null ? ofOptions() : ofOptions;
            if (!ofOptions.contains(name) && !name.matches(OF_SERVICES)) {
                ofOptions.addAll(OTHERS);
                throw UserText.refusal("unknown variable " + UserText.quoted(name) + " in the environment"
                        + Nearest.hint(name, ofOptions));
            }
        }
    }

    private static boolean isOther(String name) {
        return OTHERS.contains(name) || OF_SCRIPTS.stream().anyMatch(name::startsWith);
    }

    private static Set<String> ofOptions() {
        Set<String> names = new LinkedHashSet<>();
        Settings.tables().forEach((command, options) -> {
            for (Option option : options) {
                if (option.setting()) {
                    names.add(option.variable());
                    names.add(option.variable(command));
                }
            }
        });
        return names;
    }
}
