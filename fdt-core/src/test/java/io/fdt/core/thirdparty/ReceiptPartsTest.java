package io.fdt.core.thirdparty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.receipt.KeptReceipt;
import io.fdt.core.receipt.Receipt;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyReceipt;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A receipt reaches its client in parts, and no more of them are under way than the client has room for. */
class ReceiptPartsTest {
    private final List<ThirdPartyReceipt> sent = new ArrayList<>();
    private final FilePages window = new FilePages(page -> {});

    private static KeptReceipt receipt(Budget budget, int tailBytes) {
        KeptReceipt kept = new KeptReceipt(budget, () -> false);
        try (Receipt receipt = new Receipt(kept, DigestKind.NONE, "s")) {
            receipt.finish(json -> json.writeStringField("tail", "x".repeat(tailBytes)));
        }
        return kept;
    }

    @Test
    void aSlowClientReceivesAllOfItInTurn() {
        try (Budget budget = Budgets.ofProcess();
                KeptReceipt kept = receipt(budget, 11 * Bounds.MAX_RECEIPT_PART_BYTES)) {
            ReceiptParts parts = new ReceiptParts(kept, window, sent::add);
            assertThat(parts.sendMore()).isFalse();
            assertThat(sent).hasSize(Bounds.MAX_TOLD_PAGES);
            assertThat(parts.sendMore()).isFalse();
            assertThat(sent).hasSize(Bounds.MAX_TOLD_PAGES);

            assertThat(window.onConfirmed(2)).isTrue();
            assertThat(parts.sendMore()).isFalse();
            assertThat(sent).hasSize(Bounds.MAX_TOLD_PAGES + 2);
            assertThat(window.onConfirmed(Bounds.MAX_TOLD_PAGES)).isTrue();
            assertThat(parts.sendMore()).isTrue();

            ByteArrayOutputStream all = new ByteArrayOutputStream();
            sent.forEach(part -> all.writeBytes(part.part()));
            assertThat((long) all.size()).isEqualTo(kept.lengthBytes());
            assertThat(all.toString(StandardCharsets.UTF_8))
                    .startsWith("{\"type\":\"fdt-receipt\"")
                    .endsWith("x\"}");
            assertThat(window.onConfirmed(2)).isTrue();
            assertThat(window.onConfirmed(1)).isFalse();
        }
    }

    /** Its copy gave way to another one of its key, or a day has passed. */
    @Test
    void aReceiptThatIsGoneBeforeAllOfItIsSentIsAFailure() {
        try (Budget budget = Budgets.ofProcess()) {
            KeptReceipt kept = receipt(budget, 11 * Bounds.MAX_RECEIPT_PART_BYTES);
            ReceiptParts parts = new ReceiptParts(kept, window, sent::add);
            assertThat(parts.sendMore()).isFalse();
            kept.close();
            assertThat(window.onConfirmed(1)).isTrue();
            assertThatThrownBy(parts::sendMore)
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.SOURCE))
                    .hasMessageContaining("does not keep it any longer");
        }
    }

    @Test
    void withoutACompleteReceiptThereIsNothingToSend() {
        assertThat(new ReceiptParts(null, window, sent::add).sendMore()).isTrue();
        try (Budget budget = Budgets.ofProcess();
                KeptReceipt never = new KeptReceipt(budget, () -> false)) {
            assertThat(new ReceiptParts(never, window, sent::add).sendMore()).isTrue();
        }
        assertThat(sent).isEmpty();
    }
}
