package io.fdt.cli.nettest;

import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.ObjectsPlan;
import io.fdt.core.transport.Carrier;
import java.util.ArrayList;
import java.util.List;

/** The arguments of {@code nettest objects}. */
final class ObjectsRequest {
    static final List<Option> OPTIONS = List.of(
            NettestOptions.OP,
            NettestOptions.READS,
            NettestOptions.KEY,
            NettestOptions.SIZES,
            NettestOptions.OBJECTS,
            NettestOptions.CONCURRENT,
            NettestOptions.DURABLE,
            NettestOptions.KEEP,
            NettestOptions.DURATION);

    private static final int MAX_CONCURRENT = 64;
    private static final int MAX_ROUND_MS = 1_800_000;

    /** As the published figures. */
    private static final List<Integer> DEFAULT_SIZES = List.of(100, 1_000, 10_000, 100_000, 1_000_000);

    private ObjectsRequest() {}

    static ObjectsPlan plan(NettestPath path, Settings settings) {
        if (!path.clear()) {
            throw UserText.refusal("the network test objects measures clear lanes only; leave --tls out");
        }
        boolean logged = settings.word(NettestOptions.DURABLE).equals("log");
        boolean keep = settings.on(NettestOptions.KEEP);
        if (keep && !logged) {
            throw UserText.refusal("--keep needs a log; add --durable log");
        }
        boolean writing = settings.word(NettestOptions.OP).equals("write");
        List<Integer> sizes = settings.find(NettestOptions.SIZES, ObjectsRequest::sizes);
        ObjectsPlan plan = new ObjectsPlan(
                path,
                writing,
                settings.get(NettestOptions.KEY, Words.number(ObjectsPlan.LEAST_KEY_BYTES, ObjectsPlan.MAX_KEY_BYTES)),
                sizes == null ? DEFAULT_SIZES : sizes,
                settings.get(NettestOptions.OBJECTS, ObjectsRequest::objects),
                settings.get(NettestOptions.CONCURRENT, Words.number(1, MAX_CONCURRENT)),
                logged,
                keep,
                settings.get(NettestOptions.DURATION, Times.betweenMs(100, MAX_ROUND_MS)),
                settings.choice(NettestOptions.READS, ObjectsPlan.Reads.class));
        checkReads(plan);
        return plan;
    }

    private static void checkReads(ObjectsPlan plan) {
        if (plan.reads() != ObjectsPlan.Reads.RDMA) {
            return;
        }
        if (plan.writing()) {
            throw UserText.refusal("--reads applies to reads; leave --op write out");
        }
        if (plan.path().carrier() != Carrier.RDMA) {
            throw UserText.refusal("--reads rdma needs lanes over RDMA; add --transport rdma");
        }
        long objects = plan.sizes().stream().mapToLong(plan::objectsOf).sum();
        if (objects > ObjectsPlan.MAX_OBJECTS_BY_RDMA) {
            throw UserText.refusal("--reads rdma supports at most " + ObjectsPlan.MAX_OBJECTS_BY_RDMA
                    + " objects of all sizes together, not " + objects + "; use fewer --objects or --sizes");
        }
    }

    private static int objects(String text) throws BadValueException {
        return text.equals("auto")
                ? 0
                : Words.number(1, ObjectsPlan.MAX_OBJECTS).parse(text);
    }

    private static List<Integer> sizes(String text) throws BadValueException {
        List<Integer> sizes = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            int size = Sizes.between(1, ObjectsPlan.MAX_VALUE_BYTES).parse(word).intValue();
            if (!sizes.isEmpty() && sizes.get(sizes.size() - 1) >= size) {
                throw new BadValueException("sizes must ascend; write for example 100,1KB,10KB");
            }
            sizes.add(size);
        }
        if (sizes.size() > ObjectsPlan.MAX_SIZES) {
            throw new BadValueException("more than " + ObjectsPlan.MAX_SIZES + " sizes");
        }
        return sizes;
    }
}
