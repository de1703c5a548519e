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
 * The rules of the house below one root package. The root is a parameter so that the same rules can be tried on a tree
 * that breaks them. A rule about a package that is still to be written holds.
 */
final class ArchitectureRules {
    /** A library, and the packages that may use it. */
    private static final Map<String, List<String>> USERS = Map.of(
            "io.netty.channel", List.of("core.transport.tcp", "monitor.http"),
            "com.ibm.disni", List.of("rdma"),
            "io.micrometer", List.of("monitor", "monitor.figure", "monitor.push"),
            "java.awt", List.of("cli.report"));

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

    /** The facade is left out: it stands beside the exception that all of core uses, and uses all of core. */
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

    /** Exceptions and enums inherit {@code Serializable}; naming it, or an object stream, is what is forbidden. */
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

    /** Files, keys and certificates bear the time of day; nothing waits or gives up by it. */
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

    /** Who uses the library needs to know nothing but what its documentation names. */
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
