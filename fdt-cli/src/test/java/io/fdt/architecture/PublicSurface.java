package io.fdt.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The types of the library's public API, as documented in docs/library.md. The API mentions no other type of the
 * engine, except opaque types that a caller only passes on.
 */
final class PublicSurface {
    /** Classes, including their nested classes, and whole packages. */
    private static final Set<String> NAMED = Set.of(
            "core.Fdt",
            "core.Running",
            "core.Serving",
            "core.ServerSettings",
            "core.FailureKind",
            "core.TransferException",
            "core.Version",
            "core.HostView",
            "core.plan.CopyRequest",
            "core.plan.TransferPlan",
            "core.plan.TransferPlanBuilder",
            "core.plan.LaneRange",
            "core.plan.RawPath",
            "core.plan.ManifestFile",
            "core.plan.SourceSelection",
            "core.plan.PathRule",
            "core.plan.FileBounds",
            "core.plan.TargetRules",
            "core.plan.TransferLimits",
            "core.plan.Cleaning",
            "core.digest.DigestKind",
            "core.digest.FileHash",
            "core.digest.HashKind",
            "core.stats",
            "core.transfer.TransferJob",
            "core.transfer.TransferObserver",
            "core.verify.VerifyPlan",
            "core.verify.VerifyJob",
            "core.verify.VerifyObserver",
            "core.verify.VerifySummary",
            "core.listing.ListPlan",
            "core.listing.ListJob",
            "core.listing.ListObserver",
            "core.listing.ListSummary",
            "core.nettest.NettestPlan",
            "core.nettest.NettestPath",
            "core.nettest.NettestJob",
            "core.nettest.NettestObserver",
            "core.nettest.NettestOutcome",
            "core.nettest.NamedFigures",
            "core.nettest.Circumstances",
            "core.nettest.LaneMode",
            "core.nettest.Latencies",
            "core.nettest.NettestResult",
            "core.nettest.PlanValue",
            "core.nettest.NettestResources",
            "core.nettest.stream.ThroughputSuite",
            "core.nettest.service.Suites",
            "core.control.ServedFile",
            "core.control.ServerObserver",
            "core.control.ServerLimits",
            "core.control.ClearLanes");

    /** Types that a caller only creates and passes on. Their contents are internal. */
    private static final Set<String> HANDED_ON = Set.of(
            "core.storage.ExportedRoots",
            "core.security.OutboundRules",
            "core.transport.RdmaUse",
            "core.transport.Carrier",
            "core.transport.tcp.TcpSettings",
            // The request that a plan of a network test sends to the server, and the facts that hosts report about
            // themselves.
            "core.wire.NettestMessage",
            // A suite, and what it creates and describes.
            "core.nettest.Suite",
            "core.nettest.SuiteClient",
            "core.nettest.SuiteSide");

    private final String rootPackage;

    PublicSurface(String rootPackage) {
        this.rootPackage = rootPackage;
    }

    boolean has(JavaClass type) {
        return isOf(NAMED, type);
    }

    /** The names in this table. A test checks that each of them exists. */
    static Set<String> names() {
        return NAMED;
    }

    ArchCondition<JavaClass> mentionOnlyWhatACallerMeets() {
        return new ArchCondition<>("mention only what a caller of the library meets (docs/library.md)") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                if (!type.getModifiers().contains(JavaModifier.PUBLIC)) {
                    return;
                }
                for (JavaCodeUnit unit : type.getCodeUnits()) {
                    if (unit.getModifiers().contains(JavaModifier.PUBLIC)
                            && !unit.getModifiers().contains(JavaModifier.SYNTHETIC)) {
                        Stream.concat(Stream.of(unit.getRawReturnType()), unit.getRawParameterTypes().stream())
                                .map(JavaClass::getBaseComponentType)
                                .filter(mentioned -> isOurs(mentioned) && !has(mentioned))
                                .filter(mentioned -> !isOf(HANDED_ON, mentioned))
                                .forEach(mentioned -> events.add(SimpleConditionEvent.violated(
                                        type, unit.getFullName() + " mentions " + mentioned.getName())));
                    }
                }
            }
        };
    }

    private boolean isOurs(JavaClass type) {
        return type.getName().startsWith(rootPackage + ".");
    }

    private boolean isOf(Set<String> names, JavaClass type) {
        if (!isOurs(type)) {
            return false;
        }
        String name = type.getName().substring(rootPackage.length() + 1);
        return names.stream()
                .anyMatch(each -> name.equals(each) || name.startsWith(each + "$") || name.startsWith(each + "."));
    }
}
