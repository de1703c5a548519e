package io.fdt.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.service.Suites;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The classes of all modules satisfy the architecture rules. */
final class ArchitectureTest {
    private static final ArchitectureRules RULES = new ArchitectureRules("io.fdt");

    private static JavaClasses classes;

    @BeforeAll
    static void importAllModules() {
        classes = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                // Tests of other modules are on the class path as well. Once packaged, their directory does not
                // identify them.
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("io.fdt");
    }

    @Test
    void seesTheClassesOfEveryModuleAndNoTests() {
        assertThat(classes)
                .extracting(JavaClass::getPackageName)
                .contains("io.fdt.core", "io.fdt.rdma", "io.fdt.monitor", "io.fdt.cli", "io.fdt.cli.report")
                .noneMatch(name -> name.startsWith("io.fdt.architecture"));
    }

    @Test
    void everyPackageStandsInTheTable() {
        RULES.everyPackageStandsInTheTable().check(classes);
    }

    @Test
    void packagesUseOnlyWhatTheTableGrants() {
        RULES.packagesUseOnlyWhatTheTableGrants().check(classes);
    }

    @Test
    void packagesFormNoCycle() {
        RULES.packagesFormNoCycle().check(classes);
    }

    @Test
    void noPackageHasANameThatSaysNothing() {
        RULES.noPackageHasANameThatSaysNothing().check(classes);
    }

    @Test
    void noPackageHasMoreThanFortyFiles() {
        Map<String, Long> files = classes.stream()
                .filter(JavaClass::isTopLevelClass)
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(files)
                .hasSizeGreaterThan(40)
                .allSatisfy((name, count) -> assertThat(count).as(name).isLessThanOrEqualTo(40));
    }

    @ParameterizedTest
    @ValueSource(strings = {"io.netty.channel", "com.ibm.disni", "io.micrometer", "java.awt"})
    void onlyItsPackagesUse(String library) {
        RULES.onlyItsPackagesUse(library).check(classes);
    }

    @Test
    void onlyTheCommandLineEndsTheProcess() {
        RULES.onlyTheCommandLineEndsTheProcess().check(classes);
    }

    @Test
    void onlyFilesAndKeysKnowTheTimeOfDay() {
        RULES.onlyFilesAndKeysKnowTheTimeOfDay().check(classes);
    }

    /** A new suite of network tests is a class in its package and a line in the table. */
    @Test
    void besideItsPackageOnlyTheTableKnowsASuite() {
        List<JavaClass> suites = classes.stream()
                .filter(type -> !type.isInterface() && type.isAssignableTo(Suite.class))
                .toList();
        assertThat(suites)
                .extracting(JavaClass::getName)
                .containsExactlyInAnyOrderElementsOf(Suites.ALL.stream()
                        .map(suite -> suite.getClass().getName())
                        .toList());
        assertThat(suites)
                .allSatisfy(suite -> assertThat(suite.getDirectDependenciesToSelf())
                        .extracting(Dependency::getOriginClass)
                        .allMatch(user ->
                                user.getPackage().equals(suite.getPackage()) || user.isEquivalentTo(Suites.class)));
    }

    @Test
    void theLibrarysSurfaceMentionsOnlyItself() {
        RULES.theLibrarysSurfaceMentionsOnlyItself().check(classes);
        PublicSurface surface = new PublicSurface("io.fdt");
        assertThat(classes.stream().filter(surface::has).map(JavaClass::getName))
                .contains("io.fdt.core.Fdt", "io.fdt.core.plan.TransferPlan$Direction", "io.fdt.core.stats.Progress");
        assertThat(PublicSurface.names())
                .allSatisfy(name -> assertThat(classes)
                        .anyMatch(type -> type.getName().equals("io.fdt." + name)
                                || type.getPackageName().equals("io.fdt." + name)));
    }

    /** An option whose value is never read would have no effect. */
    @Test
    void everyValueThatTheCommandLineCollectsIsRead() {
        assertThat(RecordValues.unread(classes)).isEmpty();
    }

    @Test
    void nothingUsesJavaSerialization() {
        RULES.nothingUsesJavaSerialization().check(classes);
    }
}
