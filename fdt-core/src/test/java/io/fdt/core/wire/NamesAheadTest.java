package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.TestPlan;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.wire.ThirdPartyMessage.OpenDelegation;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import io.fdt.core.wire.TransferMessage.SourceNames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamesAheadTest {
    private static final TransferPlan REQUEST = TestPlan.push("/s", "/t").at(1).request();

    private final NamesAhead names = new NamesAhead();

    private static List<RawPath> names(int count, String prefix) {
        return IntStream.range(0, count)
                .mapToObj(number -> RawPath.ofText(prefix + number))
                .toList();
    }

    /** A page ends at its limit of names, or at that of its bytes. */
    @ParameterizedTest
    @CsvSource({"1, 131073", "1000, 4000"})
    void everyPageIsAMessageAndTheRequestGetsAllNames(int depth, int count) {
        TransferPlan whole = REQUEST.with(CopyValue.NAMES, names(count, "d/".repeat(depth)));
        TransferPlan rest = NamesAhead.without(whole);
        assertThat(rest).isEqualTo(REQUEST.with(CopyValue.NAMES, List.of()));

        List<SourceNames> pages = NamesAhead.pages(whole.find(CopyValue.NAMES));
        for (SourceNames page : pages) {
            names.add((SourceNames) ControlCodec.decode(ControlCodec.encode(page), "peer"));
        }
        assertThat(pages).hasSizeGreaterThan(2);
        assertThat(names.completed(new OpenTransfer(rest))).isEqualTo(new OpenTransfer(whole));
    }

    @Test
    void requestWithoutNamesIsUnchanged() {
        assertThat(NamesAhead.without(REQUEST)).isEqualTo(REQUEST);
        assertThat(NamesAhead.pages(null)).isEmpty();
        OpenTransfer open = new OpenTransfer(REQUEST);
        assertThat(names.completed(open)).isSameAs(open);
    }

    @Test
    void namesOfTheRequestFollowThoseAheadOfIt() {
        List<RawPath> all = names(5, "n");
        names.add(new SourceNames(all.subList(0, 3)));
        OpenDelegation open = new OpenDelegation(REQUEST.with(CopyValue.NAMES, all.subList(3, 5)), 7);
        assertThat(names.completed(open)).isEqualTo(new OpenDelegation(REQUEST.with(CopyValue.NAMES, all), 7));
    }

    @Test
    void refusesTooManyNames() {
        SourceNames page = new SourceNames(names(Bounds.MAX_LIST, "n"));
        for (int count = 0; count < TransferPlan.MAX_NAMES; count += Bounds.MAX_LIST) {
            names.add(page);
        }
        assertThatThrownBy(() -> names.add(new SourceNames(names(1, "n")))).isInstanceOf(TransferException.class);
    }

    @Test
    void refusesTooManyBytesOfNames() {
        RawPath longName = RawPath.ofText("n".repeat(4_000));
        SourceNames page = new SourceNames(new ArrayList<>(Collections.nCopies(1_000, longName)));
        long pages = TransferPlan.MAX_NAMES_BYTES / 4_000_000;
        for (long each = 0; each < pages; each++) {
            names.add(page);
        }
        assertThatThrownBy(() -> names.add(page)).isInstanceOf(TransferException.class);
    }

    @Test
    void chargesTheBytesOfEachName() {
        long one = new SourceNames(names(1, "n")).heapBytes();
        assertThat(new SourceNames(names(10, "n")).heapBytes()).isEqualTo(10 * one);
        assertThat(new SourceNames(names(1, "n".repeat(100))).heapBytes()).isEqualTo(one + 99);
    }
}
