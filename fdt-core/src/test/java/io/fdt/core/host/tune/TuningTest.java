package io.fdt.core.host.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.host.Host;
import io.fdt.core.host.RecordedConfig;
import io.fdt.core.host.RecordedHost;
import io.fdt.core.host.tune.Tuning.Report;
import io.fdt.core.host.tune.Tuning.Result;
import io.fdt.core.host.tune.Tuning.WriteOutcome;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of apply and undo on a recorded host, which compare every byte of every file of the host. */
class TuningTest {
    private static final TuneRequest ALL = new TuneRequest(List.of(), 0, 0, 0);
    private static final String BOOT_ID = "proc/sys/kernel/random/boot_id";

    @TempDir
    Path directory;

    private Path root;
    private Path state;
    private Map<String, String> original;

    @BeforeEach
    void record() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        state = directory.resolve("state");
        RecordedHost.unpack("bonded40", root);
        RecordedConfig.place(root, "0000:82:00.0");
        original = RecordedHost.contents(root);
    }

    /** An error that simulates a kill: no later code runs, and nothing that was written is undone. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** A recorder of the changes to a host's kernel and irqbalance, in order. */
    private static class Recorder extends KernelFiles implements Balancer {
        final List<String> events = new ArrayList<>();
        int writesLeft = Integer.MAX_VALUE;
        String refused = "";

        Recorder(Path root) {
            super(root);
        }

        @Override
        void write(String path, String text) throws IOException {
            if (writesLeft-- == 0) {
                throw new Killed();
            }
            if (path.equals(refused)) {
                throw new IOException("Input/output error");
            }
            events.add("write " + path);
            super.write(path, text);
        }

        @Override
        public String way(int pid) {
            return "process " + pid + " 17";
        }

        @Override
        public void stop(String way) {
            events.add("stop " + way);
        }

        @Override
        public void resume(String way) {
            events.add("resume " + way);
        }
    }

    private Tuning with(Recorder recorder) {
        return new Tuning(root, state, recorder, recorder);
    }

    private Report apply(Recorder recorder, TuneRequest request) {
        Host host = Host.read(root);
        return with(recorder).apply(host, TunePlan.of(host, request));
    }

    @Test
    void appliesWhatWasPlannedAndUndoesItToTheByte() {
        Report applied = apply(new Recorder(root), ALL);

        assertThat(applied.outcomes())
                .isNotEmpty()
                .extracting(WriteOutcome::result)
                .containsOnly(Result.WRITTEN);
        assertThat(RecordedHost.contents(root)).isNotEqualTo(original);
        assertThat(TunePlan.of(Host.read(root), ALL).writes()).isEmpty();

        Report undone = with(new Recorder(root)).undo();

        assertThat(undone.count(Result.WRITTEN)).isEqualTo(applied.outcomes().size());
        assertThat(RecordedHost.contents(root)).isEqualTo(original);
        assertThat(with(new Recorder(root)).undo().outcomes())
                .as("nothing is left to undo")
                .isEmpty();
    }

    @Test
    void changesOnlyTheReadRequestInPciConfig() throws IOException {
        Path config = root.resolve("sys/bus/pci/devices/0000:82:00.0/config");
        byte[] expected = RecordedConfig.bytes();
        assertThat(Files.readAllBytes(config)).isEqualTo(expected);

        apply(new Recorder(root), ALL);

        expected[RecordedConfig.CONTROL_AT + 1] = 0x59;
        assertThat(Files.readAllBytes(config)).isEqualTo(expected);
    }

    /** Kills at every point between two writes, including before the first and after the last. */
    @Test
    void undoesToTheByteWhereverApplyWasKilled() {
        int writes = TunePlan.of(Host.read(root), ALL).writes().size();
        assertThat(writes).isGreaterThan(20);
        for (int point = 0; point < writes; point++) {
            Recorder killed = new Recorder(root);
            killed.writesLeft = point;
            assertThatThrownBy(() -> apply(killed, ALL)).isInstanceOf(Killed.class);
            assertThat(RecordedHost.contents(root).equals(original)).isEqualTo(point == 0);

            Recorder after = new Recorder(root);
            with(after).undo();

            assertThat(RecordedHost.contents(root))
                    .as("killed after " + point + " writes")
                    .isEqualTo(original);
            assertThat(after.events).contains("resume process 871 17");
        }
    }

    @Test
    void undoesToTheByteWhereverUndoWasKilled() {
        for (int point = 0; point < 20; point += 3) {
            apply(new Recorder(root), ALL);
            Recorder killed = new Recorder(root);
            killed.writesLeft = point;
            assertThatThrownBy(() -> with(killed).undo()).isInstanceOf(Killed.class);

            with(new Recorder(root)).undo();

            assertThat(RecordedHost.contents(root)).isEqualTo(original);
        }
    }

    @Test
    void undoGoesBackToTheFirstOriginalAfterSeveralApplies() {
        apply(new Recorder(root), ALL);
        apply(new Recorder(root), new TuneRequest(List.of("eth2"), 40_000_000_000L, 300_000_000, 4));
        Recorder killed = new Recorder(root);
        killed.writesLeft = 1;
        assertThatThrownBy(() -> apply(killed, new TuneRequest(List.of("eth3"), 0, 900_000_000, 1)))
                .isInstanceOf(Killed.class);

        with(new Recorder(root)).undo();

        assertThat(RecordedHost.contents(root)).isEqualTo(original);
    }

    @Test
    void stopsIrqbalanceBeforeTheFirstWriteAndStartsItAfterTheLast() {
        Recorder applying = new Recorder(root);
        apply(applying, ALL);
        Recorder undoing = new Recorder(root);
        with(undoing).undo();

        assertThat(applying.events)
                .startsWith("stop process 871 17")
                .filteredOn(one -> one.startsWith("stop"))
                .hasSize(1);
        assertThat(undoing.events).endsWith("resume process 871 17");
    }

    @Test
    void journalIsOnDiskBeforeTheFirstWrite() throws IOException {
        Recorder killed = new Recorder(root);
        killed.writesLeft = 0;
        assertThatThrownBy(() -> apply(killed, ALL)).isInstanceOf(Killed.class);

        TuneJournal journal;
        try (StateDirectory directory = StateDirectory.open(state)) {
            journal = TuneJournal.read(directory);
        }

        assertThat(journal).isNotNull();
        assertThat(RecordedHost.contents(root)).isEqualTo(original);
        for (Write write : TunePlan.of(Host.read(root), ALL).writes()) {
            assertThat(journal.entries().get(write.path()).original())
                    .isEqualTo(new KernelFiles(root).read(write.path()));
        }
    }

    @Test
    void nothingIsWrittenWithoutAJournal() throws IOException {
        Files.writeString(state, "a file where the directory would be");

        assertThatThrownBy(() -> apply(new Recorder(root), ALL))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.TARGET));
        assertThat(RecordedHost.contents(root)).isEqualTo(original);
    }

    @Test
    void valueThatTheKernelRefusesIsReportedAndTheRestIsUndone() {
        Recorder refusing = new Recorder(root);
        refusing.refused = "proc/irq/61/smp_affinity_list";

        Report applied = apply(refusing, ALL);

        assertThat(applied.count(Result.FAILED)).isEqualTo(1);
        assertThat(applied.outcomes())
                .contains(new WriteOutcome(refusing.refused, Result.FAILED, "1\n", "Input/output error"));
        with(new Recorder(root)).undo();
        assertThat(RecordedHost.contents(root)).isEqualTo(original);
    }

    @Test
    void reportsFailureIfTheKernelIgnoresAWrite() {
        Recorder forgetful = new Recorder(root) {
            @Override
            void write(String path, String text) throws IOException {
                if (!path.endsWith("tcp_rmem")) {
                    super.write(path, text);
                }
            }
        };

        Report applied = apply(forgetful, ALL);

        assertThat(applied.outcomes())
                .filteredOn(outcome -> outcome.result() == Result.FAILED)
                .singleElement()
                .satisfies(outcome -> assertThat(outcome.note()).contains("shows 4096\t131072\t6291456"));
    }

    @Test
    void afterARestartUndoesOnlyValuesThatStillMatch() throws IOException {
        apply(new Recorder(root), ALL);
        Map<String, String> tuned = RecordedHost.contents(root);
        // After the restart the kernel's defaults apply, except for one value that something has set to the tuned value
        // again, and one that another program has set to its own.
        for (Map.Entry<String, String> file : original.entrySet()) {
            Files.writeString(root.resolve(file.getKey()), file.getValue());
        }
        Files.writeString(root.resolve(BOOT_ID), "another-boot\n");
        String again = "proc/sys/net/core/rmem_max";
        String stranger = "proc/irq/63/smp_affinity_list";
        Files.writeString(root.resolve(again), tuned.get(again));
        Files.writeString(root.resolve(stranger), "7\n");

        Recorder undoing = new Recorder(root);
        Report undone = with(undoing).undo();

        assertThat(Files.readString(root.resolve(again))).isEqualTo(original.get(again));
        assertThat(Files.readString(root.resolve(stranger))).isEqualTo("7\n");
        assertThat(undone.count(Result.WRITTEN)).isEqualTo(1);
        assertThat(undone.count(Result.LEFT)).isEqualTo(1);
        assertThat(undoing.events).as("the restart started irqbalance").containsExactly("write " + again);
    }

    /** The service applies the tuning at every start. */
    @Test
    void applyAtTheNextStartKeepsTheOriginalsOfThatStart() throws IOException {
        apply(new Recorder(root), ALL);
        for (Map.Entry<String, String> file : original.entrySet()) {
            Files.writeString(root.resolve(file.getKey()), file.getValue());
        }
        Files.writeString(root.resolve(BOOT_ID), "another-boot\n");
        Files.writeString(root.resolve("proc/irq/63/smp_affinity_list"), "5\n");
        Map<String, String> secondStart = RecordedHost.contents(root);

        apply(new Recorder(root), ALL);
        with(new Recorder(root)).undo();

        assertThat(RecordedHost.contents(root)).isEqualTo(secondStart);
    }

    @Test
    void interruptThatBelongsToAnotherDeviceNowIsLeftAlone() throws IOException {
        apply(new Recorder(root), ALL);
        Path table = root.resolve("proc/interrupts");
        Files.writeString(table, Files.readString(table).replace("i40e-eth2-TxRx-0", "i40e-eth9-TxRx-0"));
        String path = "proc/irq/61/smp_affinity_list";

        Report undone = with(new Recorder(root)).undo();

        assertThat(Files.readString(root.resolve(path))).isEqualTo("1\n");
        assertThat(undone.outcomes())
                .filteredOn(outcome -> outcome.path().equals(path))
                .singleElement()
                .satisfies(outcome -> assertThat(outcome.note()).contains("i40e-eth2-TxRx-0"));
    }

    @Test
    void refusesConcurrentRun() throws IOException {
        Files.createDirectories(state);
        try (FileChannel channel =
                        FileChannel.open(state.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var held = channel.lock()) {
            assertThat(held.isValid()).isTrue();
            assertThatThrownBy(() -> apply(new Recorder(root), ALL))
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.REFUSED));
        }
        assertThat(RecordedHost.contents(root)).isEqualTo(original);
    }

    @Test
    void damagedJournalUndoesNothing() throws IOException {
        apply(new Recorder(root), ALL);
        Path journal = state.resolve("journal");
        List<String> lines = Files.readAllLines(journal);
        Files.write(journal, lines.subList(0, lines.size() - 1));
        Map<String, String> tuned = RecordedHost.contents(root);

        assertThatThrownBy(() -> with(new Recorder(root)).undo())
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.INTEGRITY));
        assertThat(RecordedHost.contents(root)).isEqualTo(tuned);
    }

    @ParameterizedTest
    @ValueSource(strings = {"etc/passwd", "sys/class/net/../../../etc/passwd", "proc/sys/kernel/core_pattern"})
    void journalCannotNameOtherFiles(String path) throws IOException {
        Files.createDirectories(state);
        Files.writeString(
                state.resolve("journal"),
                "fdt-tune-journal 1\nboot\tx\nirqbalance\t\nvalue\t" + path + "\tWORDS\t\ta\\n\tb\\n\nend\t1\n");

        assertThatThrownBy(() -> with(new Recorder(root)).undo())
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.INTEGRITY));
    }

    /** What another user may have done to the state directory before root uses it. */
    enum Tampering {
        OWNED_DIRECTORY {
            @Override
            void with(Path state) throws IOException {
                giveAway(state);
            }
        },
        WRITABLE_DIRECTORY {
            @Override
            void with(Path state) throws IOException {
                Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxrwxrwx"));
            }
        },
        LINKED_DIRECTORY {
            @Override
            void with(Path state) throws IOException {
                Path elsewhere = state.resolveSibling("elsewhere");
                Files.move(state, elsewhere);
                Files.createSymbolicLink(state, elsewhere);
            }
        },
        OWNED_JOURNAL {
            @Override
            void with(Path state) throws IOException {
                giveAway(state.resolve("journal"));
            }
        },
        WRITABLE_JOURNAL {
            @Override
            void with(Path state) throws IOException {
                Files.setPosixFilePermissions(state.resolve("journal"), PosixFilePermissions.fromString("rw-rw----"));
            }
        },
        LINKED_JOURNAL {
            @Override
            void with(Path state) throws IOException {
                Path elsewhere = state.resolveSibling("elsewhere");
                Files.move(state.resolve("journal"), elsewhere);
                Files.createSymbolicLink(state.resolve("journal"), elsewhere);
            }
        },
        LINKED_LOCK {
            @Override
            void with(Path state) throws IOException {
                Files.delete(state.resolve("lock"));
                Files.createSymbolicLink(state.resolve("lock"), state.resolveSibling("elsewhere"));
            }
        };

        abstract void with(Path state) throws IOException;

        private static void giveAway(Path path) throws IOException {
            assumeTrue(Files.getOwner(Path.of("/proc/self")).getName().equals("root"), "only root gives files away");
            Files.setAttribute(path, "unix:uid", 65534);
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesStateWritableByOthers(Tampering tampering) throws IOException {
        apply(new Recorder(root), ALL);
        tampering.with(state);
        Map<String, String> tuned = RecordedHost.contents(root);

        assertThatThrownBy(() -> with(new Recorder(root)).undo()).isInstanceOf(TransferException.class);
        assertThatThrownBy(() -> apply(new Recorder(root), new TuneRequest(List.of("eth2"), 0, 900_000_000, 1)))
                .isInstanceOf(TransferException.class);

        assertThat(RecordedHost.contents(root)).isEqualTo(tuned);
        state = directory.resolve("own");
        Map<String, String> before = RecordedHost.contents(root);
        apply(new Recorder(root), new TuneRequest(List.of("eth2"), 0, 900_000_000, 1));
        assertThat(RecordedHost.contents(root)).isNotEqualTo(before);
        with(new Recorder(root)).undo();
        assertThat(RecordedHost.contents(root)).isEqualTo(before);
    }

    @Test
    void journalIsNotWrittenThroughALink() throws IOException {
        Path victim = Files.writeString(directory.resolve("victim"), "secret");
        Files.createDirectories(state);
        Files.createSymbolicLink(state.resolve("journal.next"), victim);

        apply(new Recorder(root), ALL);

        assertThat(victim).hasContent("secret");
        with(new Recorder(root)).undo();
        assertThat(RecordedHost.contents(root)).isEqualTo(original);
    }
}
