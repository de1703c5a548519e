package io.fdt.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.Value;
import io.fdt.core.run.Threads;
import io.fdt.core.transport.InBackground;
import java.io.Externalizable;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules that all modules obey. */
final class ArchitectureTest {
    private static final String CORE = "io.fdt.core";
    private static final int MAX_ARGUMENTS = 7;

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
    void packagesUseOnlyWhatArchitectureMdGrants() {
        ArchitectureTable table = ArchitectureTable.read();
        Set<String> wrong = new TreeSet<>();
        for (JavaClass type : classes) {
            String from = type.getPackageName();
            if (!table.names().contains(from)) {
                wrong.add(from + " is no row of the table");
            } else {
                for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                    JavaClass target = dependency.getTargetClass().getBaseComponentType();
                    if (!table.grants(from, target.getPackageName())) {
                        wrong.add(type.getName() + " must not use " + target.getName());
                    }
                }
            }
        }
        assertThat(wrong).as(String.join("\n", wrong)).isEmpty();
        assertThat(table.names())
                .as("rows of packages that exist")
                .allSatisfy(name -> assertThat(classes)
                        .anyMatch(type -> type.getPackageName().equals(name)));
    }

    @Test
    void packagesFormNoCycle() {
        slices().matching("io.fdt.(**)").should().beFreeOfCycles().check(classes);
    }

    @ParameterizedTest
    @CsvSource({
        "io.netty.channel.., io.fdt.core.transport.tcp.., io.fdt.monitor.http..",
        "com.ibm.disni.., io.fdt.rdma.., io.fdt.rdma..",
        "io.micrometer.., io.fdt.monitor, io.fdt.monitor.*",
        "io.opentelemetry.., io.fdt.cli.trace.., io.fdt.cli.trace.."
    })
    void aLibraryStaysInItsPackages(String library, String user, String otherUser) {
        noClasses()
                .that()
                .resideOutsideOfPackages(user, otherUser)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(classes);
    }

    /** A value that its side does not read would be an option without effect. */
    @Test
    void everyValueOfACopyIsReadOnTheSideThatMustKnowIt() throws ReflectiveOperationException {
        Map<String, Set<String>> readers = new TreeMap<>();
        JavaClass plan = classes.get(TransferPlan.class);
        for (JavaClass type : classes) {
            if (type.equals(plan) || type.isEquivalentTo(CopyValue.class)) {
                continue;
            }
            Set<String> read = new TreeSet<>();
            type.getFieldAccessesFromSelf().forEach(access -> addValue(access, read));
            type.getMethodCallsFromSelf().stream()
                    .filter(call -> call.getTargetOwner().equals(plan))
                    .forEach(call -> addValuesOf(plan, call.getName(), read));
            read.forEach(value ->
                    readers.computeIfAbsent(value, name -> new TreeSet<>()).add(type.getPackageName()));
        }
        for (Field field : CopyValue.class.getFields()) {
            if (field.getType() == Value.class) {
                Value<?> value = (Value<?>) field.get(null);
                Set<String> own = readers.getOrDefault(field.getName(), Set.of());
                boolean sender = own.contains(CORE + ".storage.source") || own.contains(CORE + ".transfer.sending");
                boolean receiver = own.contains(CORE + ".storage.target") || own.contains(CORE + ".transfer.receiving");
                boolean shared = own.stream()
                        .anyMatch(name -> name.matches("io.fdt.core(.engine|.control|.transfer|.transfer.service)?"));
                boolean known = switch (value.side()) {
                    case CLIENT -> own.stream().anyMatch(name -> name.startsWith(CORE));
                    case SENDER -> sender;
                    case RECEIVER -> receiver;
                    case BOTH -> shared || (sender && receiver);
                };
                assertThat(known).as("%s is read by %s", field.getName(), own).isTrue();
                assertThat(CopyValue.OF_REQUESTS.contains(value))
                        .as("%s is in requests", field.getName())
                        .isEqualTo(value.side() != Value.Side.CLIENT);
            }
        }
    }

    private static void addValue(JavaFieldAccess access, Set<String> into) {
        if (access.getTargetOwner().isEquivalentTo(CopyValue.class)) {
            into.add(access.getName());
        }
    }

    /** Adds what a method of a plan reads. What it says of a whole plan is no reader of its values. */
    private static void addValuesOf(JavaClass plan, String method, Set<String> into) {
        if (Set.of("of", "from", "with", "request", "forServer").contains(method)) {
            return;
        }
        for (JavaMethod each : plan.getMethods()) {
            if (each.getName().equals(method)) {
                each.getFieldAccesses().forEach(access -> addValue(access, into));
                each.getMethodCallsFromSelf().stream()
                        .filter(call -> call.getTargetOwner().equals(plan)
                                && !call.getName().equals(method))
                        .forEach(call -> addValuesOf(plan, call.getName(), into));
            }
        }
    }

    /** Exceptions and enums inherit {@code Serializable}, so only explicit uses count. */
    @Test
    void nothingUsesJavaSerialization() {
        noClasses()
                .should()
                .dependOnClassesThat(describe(
                        "belong to Java serialization",
                        type -> type.isEquivalentTo(Serializable.class)
                                || type.isEquivalentTo(Externalizable.class)
                                || type.isAssignableTo(ObjectInput.class)
                                || type.isAssignableTo(ObjectOutput.class)))
                .because("what a peer sends must never choose a class")
                .check(classes);
    }

    /** A message of the wire has as many fields as it has. Those of an enum begin with two that the compiler adds. */
    @Test
    void nothingTakesMoreThanSevenArguments() {
        assertThat(classes.stream()
                        .filter(type -> !type.getPackageName().equals(CORE + ".wire"))
                        .flatMap(type -> type.getCodeUnits().stream())
                        .filter(unit -> !unit.getModifiers().contains(JavaModifier.SYNTHETIC))
                        .filter(unit -> unit.getRawParameterTypes().size()
                                > MAX_ARGUMENTS
                                        + (unit.isConstructor()
                                                        && unit.getOwner().isEnum()
                                                ? 2
                                                : 0))
                        .map(JavaCodeUnit::getFullName))
                .isEmpty();
    }

    /**
     * What a session opens and keeps is a {@code Descriptor}, which is charged to an account. A bare number is only for
     * the call that opens it, or lent for one.
     */
    @Test
    void whatASessionKeepsOpenIsChargedToItsAccount() {
        Set<String> charged = Set.of(
                // By OpenFiles, before they are opened.
                CORE + ".storage.partial.OpenPartial.fd",
                CORE + ".storage.partial.OpenPartial.directFd",
                CORE + ".storage.partial.Journal.fd",
                // The standard streams of a client.
                CORE + ".storage.source.PipeSource.fd",
                CORE + ".storage.target.PipeTarget.fd");
        Set<String> lent = Set.of("dirFd", "baseFd");
        assertThat(classes.stream()
                        .filter(ArchitectureTest::worksForSessions)
                        .flatMap(type -> type.getFields().stream())
                        .filter(field -> field.getRawType().isEquivalentTo(int.class))
                        .filter(field -> field.getName().equals("fd")
                                || field.getName().endsWith("Fd")
                                || field.getName().endsWith("descriptor"))
                        .filter(field -> !lent.contains(field.getName()) && !charged.contains(field.getFullName()))
                        .map(JavaField::getFullName))
                .isEmpty();
        Set<String> openers = Set.of(
                CORE + ".storage.target.DirectoryLog",
                CORE + ".receipt.KeptReceipt",
                // Of a client's own lists.
                CORE + ".verify.ReceiptReader",
                CORE + ".verify.ManifestReader");
        noClasses()
                .that(describe(
                        "work for sessions", type -> worksForSessions(type) && !openers.contains(outermost(type))))
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.io\\.(RandomAccessFile|File(In|Out)putStream)|java\\.nio\\.channels\\.FileChannel")
                .orShould()
                .callMethodWhere(describe(
                        "opens a file",
                        call -> call.getTargetOwner().isEquivalentTo(Files.class)
                                && call.getName().startsWith("new")))
                .check(classes);
    }

    /**
     * A thread that a session causes, or a place in a pool, is started by its budget. Its own thread is one of the
     * server's sessions, and that of a lane is charged as a connection; neither is started in these packages.
     */
    @Test
    void aThreadThatASessionCausesIsChargedToItsBudget() {
        Set<String> ofClients = Set.of(
                CORE + ".files.LocalOperations",
                CORE + ".files.OperationRun",
                CORE + ".files.OperationsSession",
                CORE + ".verify.RemoteEntries",
                CORE + ".thirdparty.HeldDelegation",
                CORE + ".storage.source.NewFiles");
        noClasses()
                .that(describe(
                        "work for sessions",
                        type -> (worksForSessions(type) || type.getPackageName().startsWith(CORE + ".nettest"))
                                && !ofClients.contains(outermost(type))))
                .should()
                .callCodeUnitWhere(describe("starts threads", ArchitectureTest::startsThreads))
                .check(classes);
    }

    /** An assertion that fails on a thread of its own fails no test. {@link InBackground} passes it on. */
    @Test
    void noTestStartsAThreadWhoseFailureIsUnseen() {
        Set<String> withoutAssertions = Set.of(
                CORE + ".transport.InBackground",
                // Passes on what its threads threw.
                CORE + ".transport.Schedules",
                // Factories, and threads that a test of the code under test gets as they are.
                CORE + ".control.DelegationTest",
                CORE + ".control.ThreadLimitTest",
                CORE + ".control.UnreadEndTest",
                CORE + ".run.ThreadsTest",
                CORE + ".transport.MemoryWorkers",
                // Its failure is kept and thrown, with what the thread does when it takes too long.
                CORE + ".fuzz.Fuzzer",
                // Peers that are cut off.
                CORE + ".hostile.DelayProxy",
                CORE + ".hostile.UnauthenticatedConnectionTest");
        JavaClasses tests = new ClassFileImporter()
                .withImportOption(location -> location.contains("test-classes") || location.contains("-tests.jar"))
                .importPackages("io.fdt");
        assertThat(tests).hasSizeGreaterThan(500);
        noClasses()
                .that(describe("may assert", type -> !withoutAssertions.contains(outermost(type))))
                .should()
                .callCodeUnitWhere(describe(
                        "makes a thread",
                        call -> call.getTargetOwner().isEquivalentTo(Thread.class)
                                && call.getName().equals(JavaConstructor.CONSTRUCTOR_NAME)))
                .check(tests);
    }

    private static boolean startsThreads(JavaCall<?> call) {
        JavaClass owner = call.getTargetOwner();
        boolean makes = call.getName().equals(JavaConstructor.CONSTRUCTOR_NAME);
        return (owner.isEquivalentTo(Threads.class) && !call.getName().equals("join"))
                || (owner.isAssignableTo(Thread.class)
                        && (makes || call.getName().equals("start")))
                || (owner.isAssignableTo(Executor.class) && makes)
                || owner.isEquivalentTo(Executors.class)
                || (owner.isEquivalentTo(CompletableFuture.class)
                        && call.getName().endsWith("Async"))
                || call.getName().startsWith("parallel");
    }

    private static boolean worksForSessions(JavaClass type) {
        String name = type.getPackageName();
        return Stream.of("storage", "files", "verify", "transfer", "thirdparty", "receipt")
                        .anyMatch(each -> (name + ".").startsWith(CORE + "." + each + "."))
                && !name.equals(CORE + ".storage.posix");
    }

    /** Files, keys and certificates contain the time of day. */
    @Test
    void noDeadlineDependsOnTheTimeOfDay() {
        noClasses()
                .that()
                .resideInAPackage("io.fdt.core..")
                .and()
                .resideOutsideOfPackages("io.fdt.core.storage..", "io.fdt.core.security..")
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .because("a clock that is set must neither end a session nor keep it alive")
                .check(classes);
    }

    private static String outermost(JavaClass type) {
        return type.getName().replaceFirst("\\$.*", "");
    }
}
