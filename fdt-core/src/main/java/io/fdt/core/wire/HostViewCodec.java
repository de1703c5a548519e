package io.fdt.core.wire;

import io.fdt.core.basic.HostView;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the last second of a host as CBOR: an array for each core and NIC, with shares of a core in thousandths and
 * integer rates. Writing truncates what exceeds the bounds, reading rejects it.
 */
final class HostViewCodec {
    /** The share that is all of a core's time. */
    private static final int WHOLE = 1000;

    private HostViewCodec() {}

    static HostView view(Form<HostView> f) throws IOException {
        return new HostView(
                name(f, "host", HostView::host),
                f.list(
                        "cores",
                        Bounds.MAX_VIEW_CORES,
                        view -> first(view.cores(), Bounds.MAX_VIEW_CORES),
                        HostViewCodec::core),
                f.list(
                        "nics",
                        Bounds.MAX_VIEW_NICS,
                        view -> first(view.nics(), Bounds.MAX_VIEW_NICS),
                        HostViewCodec::nic));
    }

    private static <T> List<T> first(List<T> all, int most) {
        return all.subList(0, Math.min(all.size(), most));
    }

    private static HostView.Core core(Form<HostView.Core> f) throws IOException {
        int core = f.integer("core", 0, Bounds.MAX_CORES - 1, HostView.Core::core);
        int node = f.integer("node", -1, Bounds.MAX_CORES - 1, HostView.Core::node);
        return new HostView.Core(
                core,
                node,
                new HostView.Shares(
                        share(f, HostView.Shares::user),
                        share(f, HostView.Shares::nice),
                        share(f, HostView.Shares::system),
                        share(f, HostView.Shares::irq),
                        share(f, HostView.Shares::softirq),
                        share(f, HostView.Shares::iowait),
                        share(f, HostView.Shares::steal)));
    }

    private static double share(Form<HostView.Core> f, ToDoubleFunction<HostView.Shares> of) throws IOException {
        int parts = f.integer(
                "share of a core", 0, WHOLE, core -> (int) Math.round(of.applyAsDouble(core.shares()) * WHOLE));
        return (double) parts / WHOLE;
    }

    private static HostView.Nic nic(Form<HostView.Nic> f) throws IOException {
        return new HostView.Nic(
                name(f, "NIC", HostView.Nic::nic),
                f.number("rate", -1, Long.MAX_VALUE, HostView.Nic::speedBits),
                f.optional(
                        "bond",
                        HostView.Nic::bond,
                        (cbor, bond) -> cbor.text(clipped(bond)),
                        value -> name(value, "bond")),
                rate(f, HostView.Nic::rxBytesPerSecond),
                rate(f, HostView.Nic::txBytesPerSecond),
                rate(f, HostView.Nic::rxDropsPerSecond),
                rate(f, HostView.Nic::txDropsPerSecond));
    }

    private static double rate(Form<HostView.Nic> f, ToDoubleFunction<HostView.Nic> of) throws IOException {
        return f.number("rate", -1, Long.MAX_VALUE, nic -> Math.max(-1, Math.round(of.applyAsDouble(nic))));
    }

    private static <M> String name(Form<M> f, String what, Function<M, String> of) throws IOException {
        return f.field(what, of, (cbor, name) -> cbor.text(clipped(name)), value -> name(value, what));
    }

    /** A name bounded in its displayed form, in which escaped characters are longer. */
    private static String name(@Nullable Object value, String what) throws IOException {
        String name = Fields.text(value, Bounds.MAX_TEXT_CHARS, what);
        if (name.length() > Bounds.MAX_NAME_CHARS) {
            throw Fields.misfit(what);
        }
        return name;
    }

    private static String clipped(String name) {
        return Form.clipped(name, Bounds.MAX_NAME_CHARS);
    }
}
