package io.fdt.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.List;

/** The components of the records in which the command line collects values. */
final class RecordValues {
    private RecordValues() {}

    /**
     * Returns the components that no code reads. Copying a component into another record of the same type does not
     * count.
     */
    static List<String> unread(JavaClasses classes) {
        return classes.stream()
                .filter(type -> type.isRecord() && type.getPackageName().startsWith("io.fdt.cli"))
                .flatMap(type -> type.getFields().stream())
                .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                .filter(field ->
                        !isReadInside(field) && !isReadBy(field.getOwner().getMethod(field.getName())))
                .map(JavaField::getFullName)
                .toList();
    }

    private static boolean isReadBy(JavaMethod accessor) {
        return !accessor.getCallsOfSelf().isEmpty()
                || !accessor.getReferencesToSelf().isEmpty()
                || accessor.getOwner().getAllRawInterfaces().stream()
                        .anyMatch(type -> type.tryGetMethod(accessor.getName()).isPresent());
    }

    private static boolean isReadInside(JavaField field) {
        List<String> made = List.of(field.getName(), "<init>", "equals", "hashCode", "toString");
        return field.getAccessesToSelf().stream()
                .map(access -> access.getOrigin())
                .anyMatch(origin -> !made.contains(origin.getName()) && !copies(origin, field));
    }

    private static boolean copies(JavaCodeUnit origin, JavaField field) {
        return origin.getConstructorCallsFromSelf().stream()
                .anyMatch(call -> call.getTargetOwner().equals(field.getOwner()));
    }
}
