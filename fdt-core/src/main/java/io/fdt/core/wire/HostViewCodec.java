package io.fdt.core.wire;

import io.fdt.core.HostView;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A host's last second as CBOR: an array a core and a NIC. Writing cuts off what is beyond the bounds, reading refuses
 * it.
 */
final class HostViewCodec {
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
        return new HostView.Core(
                f.integer("core", 0, Bounds.MAX_CORES - 1, HostView.Core::core),
                f.integer("node", -1, Bounds.MAX_CORES - 1, HostView.Core::node),
                share(f, HostView.Core::user),
                share(f, HostView.Core::nice),
                share(f, HostView.Core::system),
                share(f, HostView.Core::irq),
                share(f, HostView.Core::softirq),
                share(f, HostView.Core::iowait),
                share(f, HostView.Core::steal));
    }

    private static int share(Form<HostView.Core> f, ToIntFunction<HostView.Core> of) throws IOException {
        return f.integer("share of a core", 0, HostView.WHOLE, of);
    }

    private static HostView.Nic nic(Form<HostView.Nic> f) throws IOException {
        return new HostView.Nic(
                name(f, "NIC", HostView.Nic::nic),
                rate(f, HostView.Nic::speedBits),
                f.ifAny(
                        "bond",
                        HostView.Nic::bond,
                        (cbor, bond) -> cbor.text(clipped(bond)),
                        value -> name(value, "bond")),
                rate(f, HostView.Nic::rxBytesPerSecond),
                rate(f, HostView.Nic::txBytesPerSecond),
                rate(f, HostView.Nic::rxDropsPerSecond),
                rate(f, HostView.Nic::txDropsPerSecond));
    }

    private static long rate(Form<HostView.Nic> f, ToLongFunction<HostView.Nic> of) throws IOException {
        return f.number("rate", -1, Long.MAX_VALUE, of);
    }

    private static <M> String name(Form<M> f, String what, Function<M, String> of) throws IOException {
        return f.field(what, of, (cbor, name) -> cbor.text(clipped(name)), value -> name(value, what));
    }

    /** Bounded as it is shown, where what could steer a terminal takes more room. */
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
