package io.fdt.architecture;

import static java.util.Map.entry;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The permitted dependencies between packages below one root package. A class belongs to the longest entry that is its
 * package or a parent of it.
 *
 * <p>Classes directly in {@code core} may be used by all packages and use none. The exception is the facade,
 * {@code Fdt} and the classes that it consists of: it uses all of core, and only the modules above core may use it. In
 * the command line, only packages to which the table grants it may use the facade.
 */
final class PackageTable {
    private static final String CORE = "core";
    private static final Set<String> FACADE = Set.of(
            "core.Fdt",
            "core.ServerSettings",
            "core.FdtEngine",
            "core.Serving",
            "core.ListeningServer",
            "core.Connector",
            "core.CopyHere",
            "core.ServerConnection",
            "core.HostBonds");
    /** Grants a package of the command line the use of the facade. */
    private static final String FACE_OF_CORE = "core.face";

    private static final Set<String> MODULES_ABOVE_CORE = Set.of("rdma", "monitor", "cli");

    /** Entries that do not cover their subpackages: a subpackage without its own entry is unknown. */
    private static final Set<String> NO_PARENTS = Set.of(CORE, "cli");

    /** Grants a package outside of core the use of all packages of core, but not of the facade. */
    private static final String ALL_OF_CORE = "core.*";

    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            entry("core", Set.of()),
            entry("core.nativecode", Set.of()),
            entry("core.framedlog", Set.of()),
            entry("core.digest", Set.of("core.nativecode")),
            entry("core.plan", Set.of("core.digest")),
            entry("core.wire", Set.of("core.plan", "core.digest", "core.stats")),
            entry("core.storage", Set.of("core.plan", "core.nativecode", "core.storage.posix")),
            entry("core.storage.posix", Set.of("core.plan", "core.nativecode")),
            entry(
                    "core.storage.partial",
                    Set.of("core.plan", "core.digest", "core.nativecode", "core.storage", "core.storage.posix")),
            entry(
                    "core.storage.source",
                    Set.of(
                            "core.plan",
                            "core.nativecode",
                            "core.storage",
                            "core.storage.posix",
                            "core.storage.partial")),
            entry(
                    "core.storage.target",
                    Set.of(
                            "core.plan",
                            "core.digest",
                            "core.wire",
                            "core.nativecode",
                            "core.storage",
                            "core.storage.posix",
                            "core.storage.source",
                            "core.storage.partial")),
            entry("core.receipt", Set.of("core.plan", "core.digest", "core.wire", "core.stats")),
            entry(
                    "core.shard",
                    Set.of(
                            "core.plan",
                            "core.digest",
                            "core.wire",
                            "core.storage",
                            "core.storage.source",
                            "core.receipt",
                            "core.framedlog")),
            entry("core.security", Set.of("core.nativecode")),
            entry("core.stats", Set.of()),
            entry("core.transport", Set.of("core.nativecode", "core.stats")),
            entry("core.transport.tcp", Set.of("core.transport", "core.security", "core.nativecode", "core.stats")),
            entry("core.transport.local", Set.of("core.transport", "core.nativecode")),
            entry("core.control", Set.of("core.plan", "core.wire", "core.security", "core.transport", "core.stats")),
            entry("core.transfer", Set.of("core.plan", "core.wire", "core.control", "core.transport", "core.stats")),
            entry(
                    "core.transfer.sending",
                    Set.of(
                            "core.plan",
                            "core.digest",
                            "core.wire",
                            "core.storage",
                            "core.storage.posix",
                            "core.storage.source",
                            "core.control",
                            "core.transfer",
                            "core.transport",
                            "core.stats")),
            entry(
                    "core.transfer.receiving",
                    Set.of(
                            "core.plan",
                            "core.digest",
                            "core.wire",
                            "core.storage",
                            "core.storage.source",
                            "core.storage.target",
                            "core.control",
                            "core.transfer",
                            "core.transport",
                            "core.stats")),
            entry(
                    "core.transfer.service",
                    Set.of(
                            "core.plan",
                            "core.digest",
                            "core.wire",
                            "core.storage",
                            "core.storage.source",
                            "core.receipt",
                            "core.shard",
                            "core.control",
                            "core.verify",
                            "core.transfer",
                            "core.transfer.sending",
                            "core.transfer.receiving",
                            "core.transport",
                            "core.stats")),
            entry(
                    "core.verify",
                    Set.of(
                            "core.plan",
                            "core.digest",
                            "core.wire",
                            "core.storage",
                            "core.storage.source",
                            "core.storage.target",
                            "core.control",
                            "core.transport",
                            "core.stats")),
            entry(
                    "core.listing",
                    Set.of(
                            "core.plan",
                            "core.wire",
                            "core.storage",
                            "core.storage.posix",
                            "core.storage.partial",
                            "core.storage.source",
                            "core.control",
                            "core.verify",
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
                    Set.of("core.wire", "core.transport", "core.nativecode", "core.objects", "core.stats")),
            entry("core.nettest.stream", Set.of("core.wire", "core.transport", "core.nettest", "core.stats")),
            entry("core.nettest.objects", Set.of("core.wire", "core.transport", "core.nettest", "core.objects")),
            entry("core.nettest.load", Set.of("core.wire", "core.transport", "core.nettest")),
            entry(
                    "core.nettest.service",
                    Set.of(
                            "core.wire",
                            "core.control",
                            "core.transport",
                            "core.host",
                            "core.nettest",
                            "core.nettest.stream",
                            "core.nettest.objects",
                            "core.nettest.load",
                            "core.stats")),
            entry("core.objects", Set.of("core.framedlog")),
            entry("core.host", Set.of("core.transport", "core.nativecode", "core.stats")),
            entry("core.host.tune", Set.of("core.host", "core.stats")),
            entry("rdma", Set.of()),
            entry("monitor", Set.of("monitor.http", "monitor.figure", "monitor.push")),
            entry("monitor.figure", Set.of()),
            entry("monitor.push", Set.of("monitor.figure")),
            entry("monitor.http", Set.of("core.transport", "core.transport.tcp")),
            entry(
                    "cli",
                    commands(
                            "cli.monitor",
                            "cli.copy",
                            "cli.server",
                            "cli.nettest",
                            "cli.verify",
                            "cli.list",
                            "cli.shard",
                            "cli.tune",
                            "cli.key")),
            entry("cli.ssh", Set.of("core.plan")),
            entry("cli.report", Set.of("core.plan", "core.nettest", "core.nettest.service")),
            entry("cli.value", Set.of("core.plan", "core.digest", "core.host", FACE_OF_CORE, "cli.ssh")),
            entry("cli.console", Set.of("core.plan", "cli.value")),
            entry("cli.option", Set.of("core.plan", "core.security", "cli.console", "cli.value")),
            entry("cli.network", Set.of(ALL_OF_CORE, FACE_OF_CORE, "rdma", "cli.option", "cli.value")),
            entry("cli.command", Set.of("core.security", FACE_OF_CORE, "cli.option", "cli.console", "cli.value")),
            entry("cli.display", Set.of(ALL_OF_CORE, "cli.command", "cli.option", "cli.console", "cli.value")),
            entry("cli.help", Set.of("cli.command", "cli.option", "cli.console", "cli.value")),
            entry(
                    "cli.run",
                    Set.of("cli.command", "cli.display", "cli.help", "cli.option", "cli.console", "cli.value")),
            entry("cli.monitor", commands("monitor", "monitor.push")),
            entry("cli.copy", commands("cli.network", "cli.monitor", "cli.ssh")),
            entry("cli.server", commands("cli.network", "cli.monitor", "cli.key", "cli.ssh")),
            entry("cli.nettest", commands("cli.network", "cli.monitor", "cli.report")),
            entry("cli.verify", commands("cli.network", "cli.copy", "cli.ssh")),
            entry("cli.list", commands("cli.network", "cli.copy", "cli.ssh")),
            entry("cli.shard", commands("cli.network", "cli.copy", "cli.key")),
            entry("cli.tune", commands()),
            entry("cli.key", commands()));

    private final String rootPackage;

    PackageTable(String rootPackage) {
        this.rootPackage = rootPackage;
    }

    /** Returns the table's entry for a class, or nothing if the table does not contain its package. */
    Optional<String> entryOf(JavaClass type) {
        String name = belowRoot(type.getPackageName());
        while (!name.isEmpty() && !MAY_USE.containsKey(name)) {
            name = name.substring(0, Math.max(0, name.lastIndexOf('.')));
        }
        if (name.isEmpty()
                || (NO_PARENTS.contains(name)
                        && !belowRoot(type.getPackageName()).equals(name))) {
            return Optional.empty();
        }
        return Optional.of(name);
    }

    boolean isFacade(JavaClass type) {
        String name = belowRoot(type.getName());
        int nested = name.indexOf('$');
        return FACADE.contains(nested < 0 ? name : name.substring(0, nested));
    }

    /** Whether the table grants a dependency, or the target is outside of the root package. */
    boolean allows(Dependency dependency) {
        JavaClass origin = dependency.getOriginClass();
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (belowRoot(target.getPackageName()).isEmpty()) {
            return true;
        }
        String from = entryOf(origin).orElse("");
        String to = entryOf(target).orElse("");
        if (from.isEmpty() || to.isEmpty()) {
            return true; // Reported by the rule that every package must be in the table.
        }
        boolean fromAbove = MODULES_ABOVE_CORE.contains(from);
        if (isFacade(target)) {
            return isFacade(origin) || fromAbove || granted(from, FACE_OF_CORE);
        }
        boolean toCore = to.equals(CORE) || to.startsWith(CORE + ".");
        if (isFacade(origin) || fromAbove) {
            return toCore || from.equals(to) || granted(from, to);
        }
        return to.equals(CORE) || from.equals(to) || granted(from, to) || (toCore && granted(from, ALL_OF_CORE));
    }

    /** Returns what every command may use, including the facade, and the given packages. */
    private static Set<String> commands(String... more) {
        Set<String> granted = new HashSet<>(List.of(more));
        granted.addAll(Set.of(
                ALL_OF_CORE,
                FACE_OF_CORE,
                "cli.command",
                "cli.option",
                "cli.console",
                "cli.display",
                "cli.help",
                "cli.run",
                "cli.value"));
        return granted;
    }

    private static boolean granted(String from, String to) {
        return MAY_USE.getOrDefault(from, Set.of()).contains(to);
    }

    private String belowRoot(String name) {
        return name.startsWith(rootPackage + ".") ? name.substring(rootPackage.length() + 1) : "";
    }
}
