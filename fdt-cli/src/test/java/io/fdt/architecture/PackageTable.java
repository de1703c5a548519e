package io.fdt.architecture;

import static java.util.Map.entry;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who may use whom, below one root package. A class belongs to the longest entry that is its package or a parent of it.
 * What stands directly in {@code core} is open to all and uses none, but for the facade, {@code Fdt} and what it is made of, which
 * uses all of core and is used by the modules above it only.
 */
final class PackageTable {
    private static final String CORE = "core";
    private static final Set<String> FACADE =
            Set.of("core.Fdt", "core.Offer", "core.Serving", "core.Reach", "core.ServerWay", "core.HostBonds");
    private static final Set<String> MODULES_ABOVE_CORE = Set.of("rdma", "monitor", "cli");

    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            entry("core", Set.of()),
            entry("core.nativecode", Set.of()),
            entry("core.digest", Set.of("core.nativecode")),
            entry("core.plan", Set.of("core.digest")),
            entry("core.wire", Set.of("core.plan", "core.digest")),
            entry("core.storage", Set.of("core.plan", "core.digest")),
            entry("core.receipt", Set.of("core.plan", "core.digest", "core.stats")),
            entry("core.shard", Set.of("core.plan", "core.digest", "core.storage", "core.receipt")),
            entry("core.security", Set.of()),
            entry("core.stats", Set.of()),
            entry("core.transport", Set.of("core.stats")),
            entry("core.transport.tcp", Set.of("core.transport", "core.security", "core.nativecode")),
            entry("core.transport.local", Set.of("core.transport")),
            entry("core.control", Set.of("core.wire", "core.security", "core.transport", "core.stats")),
            entry(
                    "core.transfer",
                    Set.of(
                            "core.plan",
                            "core.digest",
                            "core.wire",
                            "core.storage",
                            "core.receipt",
                            "core.shard",
                            "core.control",
                            "core.transport",
                            "core.stats")),
            entry(
                    "core.verify",
                    Set.of(
                            "core.plan",
                            "core.digest",
                            "core.wire",
                            "core.storage",
                            "core.control",
                            "core.transport",
                            "core.stats")),
            entry(
                    "core.errand",
                    Set.of(
                            "core.plan",
                            "core.digest",
                            "core.wire",
                            "core.storage",
                            "core.security",
                            "core.control",
                            "core.transfer",
                            "core.transport",
                            "core.stats")),
            entry(
                    "core.nettest",
                    Set.of("core.wire", "core.control", "core.transport", "core.host", "core.objects", "core.stats")),
            entry("core.objects", Set.of()),
            entry("core.host", Set.of()),
            entry("core.host.tune", Set.of("core.host")),
            entry("rdma", Set.of()),
            entry("monitor", Set.of()),
            entry("cli", Set.of("rdma", "monitor", "cli.report", "cli.ssh", "cli.legacy")),
            entry("cli.legacy", Set.of()),
            entry("cli.ssh", Set.of("core.plan")),
            entry("cli.report", Set.of("core.plan")));

    private final String rootPackage;

    PackageTable(String rootPackage) {
        this.rootPackage = rootPackage;
    }

    /** The table's entry for a class, or nothing if the table does not know its package. */
    Optional<String> entryOf(JavaClass type) {
        String name = belowRoot(type.getPackageName());
        while (!name.isEmpty() && !MAY_USE.containsKey(name)) {
            name = name.substring(0, Math.max(0, name.lastIndexOf('.')));
        }
        // Core is no parent: a package below it that the table does not name is unknown.
        if (name.isEmpty()
                || (name.equals(CORE) && !belowRoot(type.getPackageName()).equals(CORE))) {
            return Optional.empty();
        }
        return Optional.of(name);
    }

    boolean isFacade(JavaClass type) {
        String name = belowRoot(type.getName());
        int nested = name.indexOf('$');
        return FACADE.contains(nested < 0 ? name : name.substring(0, nested));
    }

    /** True for what the table grants, and for all that leads out of the root package. */
    boolean allows(Dependency dependency) {
        JavaClass origin = dependency.getOriginClass();
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (belowRoot(target.getPackageName()).isEmpty()) {
            return true;
        }
        String from = entryOf(origin).orElse("");
        String to = entryOf(target).orElse("");
        if (from.isEmpty() || to.isEmpty()) {
            return true; // the rule that every package stands in the table reports it
        }
        boolean fromAbove = MODULES_ABOVE_CORE.contains(from);
        if (isFacade(target)) {
            return isFacade(origin) || fromAbove;
        }
        boolean toCore = to.equals(CORE) || to.startsWith(CORE + ".");
        if (isFacade(origin) || fromAbove) {
            return toCore || from.equals(to) || granted(from, to);
        }
        return to.equals(CORE) || from.equals(to) || granted(from, to);
    }

    private static boolean granted(String from, String to) {
        return MAY_USE.getOrDefault(from, Set.of()).contains(to);
    }

    private String belowRoot(String name) {
        return name.startsWith(rootPackage + ".") ? name.substring(rootPackage.length() + 1) : "";
    }
}
