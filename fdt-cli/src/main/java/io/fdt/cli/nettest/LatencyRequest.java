package io.fdt.cli.nettest;

import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.SizeList;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.nettest.LatencyPlan;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.DeviceQueues.Kind;
import io.fdt.core.wire.Bounds;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The arguments of {@code nettest latency}. */
final class LatencyRequest {
    private static final List<Integer> SIZES = List.of(4, 128, 1024);
    private static final int MOST_ITERATIONS = 999_999_999;

    static final List<Option> OPTIONS = List.of(
            NettestOptions.SIZES,
            NettestOptions.ITERATIONS,
            NettestOptions.BUSY_POLL,
            NettestOptions.QP,
            NettestOptions.INLINE,
            NettestOptions.HISTOGRAM,
            NettestOptions.HDR);

    private LatencyRequest() {}

    static NettestPlan plan(NettestPath path, Settings settings) {
        List<Integer> given = settings.find(NettestOptions.SIZES, SizeList::parse);
        List<Integer> sizes = given == null ? SIZES : given;
        QueueUse queues = queues(path, settings);
        if (queues != null && sizes.stream().anyMatch(size -> size > QueueUse.MOST_MESSAGE_BYTES)) {
            throw UserText.refusal("--qp supports messages of up to 4MiB; use smaller --sizes");
        }
        return new LatencyPlan(
                path,
                sizes,
                settings.get(NettestOptions.ITERATIONS, Words.number(1, MOST_ITERATIONS)),
                queues != null || settings.on(NettestOptions.BUSY_POLL),
                queues);
    }

    private static @Nullable QueueUse queues(NettestPath path, Settings settings) {
        String pair = settings.find(NettestOptions.QP, Words.among(NettestOptions.QP.words()));
        int inlineBytes = settings.get(NettestOptions.INLINE, Words.number(0, Bounds.MAX_INLINE_BYTES));
        if (pair == null) {
            if (!settings.isPreset(NettestOptions.INLINE)) {
                throw UserText.refusal("--inline applies to queue pairs; add --qp rc or --qp ud");
            }
            return null;
        }
        if (path.carrier() != Carrier.RDMA) {
            throw UserText.refusal("--qp needs an RDMA device; add --transport rdma");
        }
        return new QueueUse(pair.equals("ud") ? Kind.DATAGRAM : Kind.RELIABLE, inlineBytes);
    }
}
