package io.fdt.core.transfer.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.TestPlan;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.receipt.KeptReceipt;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a server remembers for a client's receipt. */
class CopyRecordsTest {
    private final Budgets budgets = new Budgets(Map.of(Resource.HEAP, 64L << 20), () -> false);

    /** The copy may be reachable for long after its end: its client has the receipt sent as slowly as it likes. */
    @Test
    void nothingIsRememberedThatIsNotChargedAnyMore() {
        TransferPlan plan = TestPlan.push("x", "/in/").at(1).with(CopyValue.CHECKSUMS, List.of(FileHash.MD5));
        try (Budget session = budgets.open("ann");
                KeptReceipt kept = new KeptReceipt(session, () -> false)) {
            CopyRecords records = new CopyRecords(
                    plan,
                    DigestKind.NONE,
                    "s",
                    new Ledger(new TransferFigures(), TransferObserver.NONE),
                    false,
                    new CopyRecords.ForClient(kept, session, bytes -> {}));
            for (int i = 0; i < 1_000; i++) {
                RawPath path = RawPath.ofText("f" + i);
                records.settled(
                        new FileEntry(path, FileEntry.Kind.FILE, 1, EntryMetadata.UNKNOWN, false, null),
                        1,
                        new byte[0],
                        FileOutcome.COPIED,
                        null);
            }
            assertThat(records.lackHashes()).isTrue();
            assertThat(budgets.heldBy("ann", Resource.HEAP)).isPositive();

            records.finish(Summary.of(null, 1, 2, 3, 4, 5, "s"), false, false);
            assertThat(budgets.heldBy("ann", Resource.HEAP)).isZero();
            assertThat(records.lackHashes()).as("it remembers files").isFalse();
            assertThat(kept.lengthBytes()).isGreaterThan(10_000);
        }
    }
}
