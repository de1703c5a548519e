package io.fdt.core.thirdparty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.receipt.KeptReceipt;
import io.fdt.core.receipt.Receipt;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.ThirdPartyMessage.FileEnd;
import io.fdt.core.wire.ThirdPartyMessage.FileReport;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The results of detached copies are kept for a day, at the expense of their key. */
class DetachedCopiesTest {
    private static final long ROOM_BYTES = 64L * DetachedCopy.HEAP_BYTES;

    private long nowNanos;
    private Budgets budgets = new Budgets(Map.of(Resource.HEAP, ROOM_BYTES), () -> false);
    private final DetachedCopies copies = new DetachedCopies(() -> nowNanos);

    private DetachedCopy add(String key, int number) {
        try (Budget session = budgets.open(key)) {
            return copies.add(key + number, key, session, "/a", "b:1 /c");
        }
    }

    private static void end(DetachedCopy copy) {
        copy.onEnd(Summary.of(null, 1, 2, 3, 4, 5, copy.id));
    }

    @Test
    void resultIsForgottenAfterADayAndCostsNothingAnyMore() {
        end(add("ann", 1));
        add("ann", 2);
        nowNanos += DetachedCopies.KEPT_NANOS;
        assertThat(copies.of("ann")).hasSize(2);
        nowNanos += 1;
        assertThat(copies.of("ann"))
                .singleElement()
                .satisfies(copy -> assertThat(copy.id).isEqualTo("ann2"));
        assertThat(budgets.heldBy("ann", Resource.HEAP)).isEqualTo(DetachedCopy.HEAP_BYTES);
    }

    @Test
    void onlyTheKeyOfACopyFindsIt() {
        add("ann", 1);
        assertThat(copies.find("ann", "ann1")).isNotNull();
        assertThat(copies.find("bob", "ann1")).isNull();
        assertThat(copies.of("bob")).isEmpty();
    }

    @Test
    void olderResultsMakeRoomForACopyAndRunningOnesDoNot() {
        budgets = new Budgets(Map.of(Resource.HEAP, 2 * DetachedCopy.HEAP_BYTES + 1), () -> false);
        DetachedCopy first = add("ann", 1);
        assertThatThrownBy(() -> add("ann", 2))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.LIMIT));
        end(first);
        add("ann", 3);
        assertThat(copies.of("ann")).extracting(copy -> copy.id).containsExactly("ann3");
    }

    @Test
    void keepsALimitedNumberOfResultsOfAKey() {
        budgets = new Budgets(Map.of(), () -> false);
        for (int i = 0; i < DetachedCopies.MAX_KEPT + 10; i++) {
            end(add("ann", i));
        }
        assertThat(copies.of("ann")).hasSize(DetachedCopies.MAX_KEPT);
        assertThat(copies.find("ann", "ann9")).isNull();
        assertThat(copies.find("ann", "ann10")).isNotNull();
    }

    private void writeReceipt(DetachedCopy copy, int files) {
        write(copies.keepReceipt(copy), files);
    }

    private static void write(KeptReceipt kept, int files) {
        try (Receipt receipt = new Receipt(kept, DigestKind.NONE, "s")) {
            for (int i = 0; i < files; i++) {
                FileEntry file = new FileEntry(
                        RawPath.ofText("f" + i), FileEntry.Kind.FILE, 1, EntryMetadata.UNKNOWN, false, null);
                receipt.add(file, 1, new byte[0], "copied", null);
            }
            receipt.finish(json -> {});
        }
    }

    @Test
    void aReceiptIsKeptWithItsCopyAndCostsNothingAfterIt() {
        budgets = new Budgets(Map.of(Resource.DISK, 8L << 20), () -> false);
        DetachedCopy copy = add("ann", 1);
        writeReceipt(copy, 10_000);
        end(copy);
        KeptReceipt kept = Objects.requireNonNull(copy.receipt());
        assertThat(budgets.heldBy("ann", Resource.DISK)).isGreaterThanOrEqualTo(kept.lengthBytes());
        assertThat(new String(kept.part(0, 100), StandardCharsets.UTF_8)).startsWith("{\"type\":\"fdt-receipt\"");

        nowNanos += DetachedCopies.KEPT_NANOS + 1;
        assertThat(copies.of("ann")).isEmpty();
        assertThat(budgets.heldBy("ann", Resource.DISK)).isZero();
        assertThat(budgets.heldBy("ann", Resource.DESCRIPTORS)).isZero();
        assertThatThrownBy(() -> kept.part(0, 100)).hasMessageContaining("does not keep it any longer");
    }

    @Test
    void olderCopiesMakeRoomForAReceiptThatFitsAlone() {
        budgets = new Budgets(Map.of(Resource.DISK, 2L << 20), () -> false);
        for (int i = 1; i <= 20; i++) {
            DetachedCopy copy = add("ann", i);
            writeReceipt(copy, 2_000);
            end(copy);
        }
        assertThat(copies.of("ann")).hasSizeBetween(2, 19);
        assertThat(copies.find("ann", "ann20")).isNotNull();
        DetachedCopy large = add("ann", 21);
        assertThatThrownBy(() -> writeReceipt(large, 100_000))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.LIMIT))
                .hasMessageContaining("temporary disk space");
        assertThat(copies.of("ann")).containsExactly(large);
        assertThat(Objects.requireNonNull(large.receipt()).lengthBytes()).isZero();
    }

    /** Its room comes from copies, whose receipts are closed, so both locks must not be taken in either order. */
    @Test
    void noReceiptIsLockedWhileRoomIsMadeForIt() {
        budgets = new Budgets(Map.of(Resource.DISK, 1L << 20), () -> false);
        List<Boolean> locked = new ArrayList<>();
        AtomicReference<KeptReceipt> kept = new AtomicReference<>();
        try (Budget budget = budgets.open("ann");
                KeptReceipt receipt = new KeptReceipt(budget, () -> {
                    locked.add(Thread.holdsLock(Objects.requireNonNull(kept.get())));
                    return false;
                })) {
            kept.set(receipt);
            assertThatThrownBy(() -> write(receipt, 100_000)).hasMessageContaining("temporary disk space");
        }
        assertThat(locked).containsExactly(false);
    }

    @Test
    void resultsWithoutAReceiptAndReceiptsThatAreReadStay() {
        budgets = new Budgets(Map.of(Resource.DISK, 4L << 20), () -> false);
        end(add("ann", 1));
        DetachedCopy read = add("ann", 2);
        writeReceipt(read, 2_000);
        end(read);
        DetachedCopy old = add("ann", 3);
        writeReceipt(old, 2_000);
        end(old);
        FilePages full = new FilePages(page -> {});
        while (full.trySend(() -> {})) {
            // Until the client has room for no more.
        }
        try (ReceiptParts reading = new ReceiptParts(read.receipt(), full, part -> {})) {
            assertThat(reading.sendMore()).isFalse();
            DetachedCopy large = add("ann", 4);
            assertThatThrownBy(() -> writeReceipt(large, 100_000)).hasMessageContaining("temporary disk space");
            assertThat(copies.of("ann")).extracting(copy -> copy.id).containsExactly("ann1", "ann2", "ann4");
        }
        DetachedCopy next = add("ann", 5);
        assertThatThrownBy(() -> writeReceipt(next, 100_000)).hasMessageContaining("temporary disk space");
        assertThat(copies.of("ann")).extracting(copy -> copy.id).containsExactly("ann1", "ann4", "ann5");
    }

    @Test
    void failedFilesAreChargedAndNotKeptWithoutRoom() {
        DetachedCopy copy = add("ann", 1);
        nowNanos += TimeUnit.SECONDS.toNanos(3);
        String reason = "x".repeat((int) DetachedCopy.HEAP_BYTES);
        for (int i = 0; i < 1000; i++) {
            copy.onFile(new FileReport("f" + i, FileEnd.FAILED, 0, Map.of(), Failure.of(Cause.ofExitCode(5), reason)));
        }
        assertThat(copy.failedFiles()).hasSizeBetween(1, 512);
        assertThat(budgets.heldBy("ann", Resource.HEAP)).isLessThanOrEqualTo(ROOM_BYTES);
        assertThat(copy.report().progress().elapsedNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(3));
    }
}
