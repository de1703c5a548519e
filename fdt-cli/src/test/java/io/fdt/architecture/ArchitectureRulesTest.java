package io.fdt.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each rule finds exactly the classes of the tree {@code violating} that violate it. */
final class ArchitectureRulesTest {
    private static final String ROOT = "io.fdt.architecture.violating";
    private static final ArchitectureRules RULES = new ArchitectureRules(ROOT);

    private static JavaClasses classes;

    @BeforeAll
    static void importViolatingTree() {
        classes = new ClassFileImporter().importPackages(ROOT);
    }

    @Test
    void aPackageThatTheTableDoesNotNameIsCaught() {
        assertThat(culprits(RULES.everyPackageStandsInTheTable()))
                .containsExactlyInAnyOrder("cli.orphan.Stray", "core.orphan.Stray", "core.util.Things");
    }

    @Test
    void aUseThatTheTableDoesNotGrantIsCaught() {
        assertThat(culprits(RULES.packagesUseOnlyWhatTheTableGrants()))
                .containsExactlyInAnyOrder(
                        "cli.console.UsesFacade",
                        "cli.value.UsesCopy",
                        "core.SharedUsesPlan",
                        "core.plan.UsesStorage",
                        "core.transfer.UsesFacade",
                        "rdma.UsesCli");
    }

    @Test
    void aCycleIsCaught() {
        assertThat(RULES.packagesFormNoCycle()
                        .evaluate(classes)
                        .getFailureReport()
                        .toString())
                .contains("core.plan.UsesStorage", "core.storage.Store");
    }

    @Test
    void thePackageNameUtilIsCaught() {
        assertThat(culprits(RULES.noPackageHasANameThatSaysNothing())).containsExactly("core.util.Things");
    }

    @ParameterizedTest
    @CsvSource({
        "io.netty.channel, core.wire.OpensChannel",
        "com.ibm.disni, core.wire.UsesDisni",
        "io.micrometer, core.wire.UsesMicrometer",
        "java.awt, core.wire.UsesAwt"
    })
    void aLibraryInTheWrongPackageIsCaught(String library, String culprit) {
        assertThat(culprits(RULES.onlyItsPackagesUse(library))).containsExactly(culprit);
    }

    @Test
    void anExitOutsideOfTheCommandLineIsCaught() {
        assertThat(culprits(RULES.onlyTheCommandLineEndsTheProcess())).containsExactly("core.wire.Exits");
    }

    @Test
    void aDeadlineByTheTimeOfDayIsCaught() {
        assertThat(culprits(RULES.onlyFilesAndKeysKnowTheTimeOfDay())).containsExactly("core.wire.WaitsUntilNoon");
    }

    @Test
    void aSurfaceThatMentionsTheEngineIsCaught() {
        assertThat(culprits(RULES.theLibrarysSurfaceMentionsOnlyItself())).containsExactly("core.Fdt");
    }

    @Test
    void javaSerializationIsCaught() {
        assertThat(culprits(RULES.nothingUsesJavaSerialization()))
                .containsExactlyInAnyOrder("core.wire.CanBeSerialized", "core.wire.ReadsObjects");
    }

    /** Returns the classes that violate a rule, by their names below the root. */
    private static Set<String> culprits(ArchRule rule) {
        EvaluationResult result = rule.evaluate(classes);
        Set<String> names = new TreeSet<>();
        result.handleViolations((Collection<Object> violators, String message) -> {
            for (Object violator : violators) {
                names.add(nameOf(violator).substring(ROOT.length() + 1));
            }
        });
        return names;
    }

    private static String nameOf(Object violator) {
        if (violator instanceof Dependency dependency) {
            return dependency.getOriginClass().getName();
        }
        if (violator instanceof JavaClass type) {
            return type.getName();
        }
        if (violator instanceof com.tngtech.archunit.core.domain.JavaAccess<?> access) {
            return access.getOriginOwner().getName();
        }
        throw new IllegalStateException("a violator of an unknown kind: " + violator.getClass());
    }
}
