package io.fdt.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.Externalizable;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The architecture rules for all packages below a root package. The root is a parameter so that tests can apply the
 * same rules to a tree that violates them. A rule about a package that does not exist yet is satisfied.
 */
final class ArchitectureRules {
    /** Libraries, and the packages that may use them. */
    private static final Map<String, List<String>> USERS = Map.of(
            "io.netty.channel", List.of("core.transport.tcp", "monitor.http"),
            "com.ibm.disni", List.of("rdma"),
            "io.micrometer", List.of("monitor", "monitor.figure", "monitor.push"),
            "java.awt", List.of());

    private static final List<String> NAMES_THAT_SAY_NOTHING = List.of("util", "common", "helper", "manager");

    private static final Set<Class<?>> SERIALIZATION =
            Set.of(Serializable.class, Externalizable.class, ObjectInput.class, ObjectOutput.class);

    private final String rootPackage;
    private final PackageTable table;
    private final PublicSurface surface;

    ArchitectureRules(String rootPackage) {
        this.rootPackage = rootPackage;
        this.table = new PackageTable(rootPackage);
        this.surface = new PublicSurface(rootPackage);
    }

    ArchRule everyPackageStandsInTheTable() {
        return classes().should(standInTheTable()).allowEmptyShould(true);
    }

    ArchRule packagesUseOnlyWhatTheTableGrants() {
        return classes().should(useOnlyWhatTheTableGrants()).allowEmptyShould(true);
    }

    /**
     * Ignores the facade: it is in the same package as the exception that all of core uses, and it uses all of core.
     */
    ArchRule packagesFormNoCycle() {
        return slices().matching(rootPackage + ".(**)")
                .should()
                .beFreeOfCycles()
                .ignoreDependency(describe("the facade", table::isFacade), alwaysTrue())
                .allowEmptyShould(true);
    }

    ArchRule noPackageHasANameThatSaysNothing() {
        String[] names = NAMES_THAT_SAY_NOTHING.stream()
                .flatMap(name -> List.of(".." + name + "..", ".." + name + "s..").stream())
                .toArray(String[]::new);
        return noClasses()
                .should()
                .resideInAnyPackage(names)
                .because("a package is a noun of the design")
                .allowEmptyShould(true);
    }

    /** Packages are given by their names below the root. */
    ArchRule onlyItsPackagesUse(String library) {
        String[] users = USERS.getOrDefault(library, List.of()).stream()
                .map(name -> rootPackage + "." + name + "..")
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideOutsideOfPackages(users)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library + "..")
                .because("only " + List.of(users) + " know " + library)
                .allowEmptyShould(true);
    }

    ArchRule onlyTheCommandLineEndsTheProcess() {
        return noClasses()
                .that()
                .resideOutsideOfPackage(rootPackage + ".cli..")
                .should()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "exit", int.class)
                .orShould()
                .callMethod(Runtime.class, "halt", int.class)
                .because("an engine inside another program must not end it")
                .allowEmptyShould(true);
    }

    /**
     * Exceptions and enums inherit {@code Serializable}. Only explicit uses of it and of object streams are forbidden.
     */
    ArchRule nothingUsesJavaSerialization() {
        return noClasses()
                .should()
                .dependOnClassesThat(describe(
                        "belong to Java serialization",
                        type -> SERIALIZATION.stream().anyMatch(type::isEquivalentTo)
                                || type.isAssignableTo(ObjectInput.class)
                                || type.isAssignableTo(ObjectOutput.class)))
                .because("what a peer sends must never choose a class")
                .allowEmptyShould(true);
    }

    /** Files, keys and certificates contain the time of day. No wait and no timeout may depend on it. */
    ArchRule onlyFilesAndKeysKnowTheTimeOfDay() {
        return noClasses()
                .that()
                .resideInAPackage(rootPackage + ".core..")
                .and()
                .resideOutsideOfPackages(rootPackage + ".core.storage..", rootPackage + ".core.security..")
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .because("a clock that is set must neither end a session nor keep it alive")
                .allowEmptyShould(true);
    }

    /** The documented types of the library are sufficient to use it. */
    ArchRule theLibrarysSurfaceMentionsOnlyItself() {
        return classes()
                .that(describe("a caller of the library meets", surface::has))
                .should(surface.mentionOnlyWhatACallerMeets())
                .allowEmptyShould(true);
    }

    private ArchCondition<JavaClass> standInTheTable() {
        return new ArchCondition<>("stand in a package of the table") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                if (table.entryOf(type).isEmpty()) {
                    events.add(SimpleConditionEvent.violated(
                            type, type.getName() + " is in a package that the table of ARCHITECTURE.md does not name"));
                }
            }
        };
    }

    private ArchCondition<JavaClass> useOnlyWhatTheTableGrants() {
        return new ArchCondition<>("use only what the table of ARCHITECTURE.md grants") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    if (!table.allows(dependency)) {
                        events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
                    }
                }
            }
        };
    }
}
