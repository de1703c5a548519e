package io.fdt.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.service.Suites;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A new suite of network tests is a class in its package and a line in the table. */
final class SuitePackagesTest {
    @Test
    void besideItsPackageOnlyTheTableKnowsASuite() {
        List<JavaClass> suites = new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .withImportOption(location -> !location.contains("-tests.jar"))
                        .importPackages("io.fdt")
                        .stream()
                        .filter(type -> type.isAssignableTo(Suite.class) && !type.isEquivalentTo(Suite.class))
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
}
