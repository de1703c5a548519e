package io.fdt.cli.network;

import io.fdt.cli.option.Option;
import io.fdt.cli.option.RdmaOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.ValueParser;
import io.fdt.cli.value.Words;
import io.fdt.core.basic.Figures;
import io.fdt.rdma.RdmaSettings;
import io.fdt.rdma.RdmaSettings.Completions;

/** Reads the options for lanes over RDMA. */
final class RdmaLanes {
    private static final int LEAF_BYTES = 128 << 10;
    private static final int MAX_DEPTH = 768;
    private static final String AUTO = "auto";

    private RdmaLanes() {}

    /** Reads all options except {@link RdmaOptions#MTU}, which some commands do not have. */
    static RdmaSettings of(Settings settings) {
        int depth = settings.get(RdmaOptions.DEPTH, Words.number(2, MAX_DEPTH));
        int signalEvery = settings.get(RdmaOptions.SIGNAL, autoOr(depth / 2, Words.number(1, depth)));
        return RdmaSettings.DEFAULT
                .withBlocks(depth, depth + (depth + 2) / 3, signalEvery)
                .withBlockBytes(settings.get(RdmaOptions.BLOCK, RdmaLanes::blockBytes))
                .withCompletions(
                        waiting(settings.word(RdmaOptions.WAIT)),
                        RdmaSettings.DEFAULT.waiting().spinUs())
                .withHugePages(settings.on(RdmaOptions.HUGE_PAGES));
    }

    static RdmaSettings withQueues(Settings settings) {
        Option option = RdmaOptions.MTU;
        return of(settings).withPacketBytes(settings.get(option, autoOr(0, RdmaLanes::packetBytes)));
    }

    /** Returns a block size with room for this many bytes, in whole leaves, as lanes send them. */
    static int blockFor(int bytes) {
        int leaves =
                (Math.min(bytes, RdmaSettings.MAX_BLOCK_BYTES - RdmaSettings.ROOM_BYTES) + LEAF_BYTES - 1) / LEAF_BYTES;
        return Math.max(1, leaves) * LEAF_BYTES + RdmaSettings.ROOM_BYTES;
    }

    private static ValueParser<Integer> autoOr(int automatic, ValueParser<Integer> parser) {
        return text -> text.equals(AUTO) ? Integer.valueOf(automatic) : parser.parse(text);
    }

    private static int blockBytes(String text) throws BadValueException {
        long bytes = Sizes.between(LEAF_BYTES, RdmaSettings.MAX_BLOCK_BYTES - RdmaSettings.ROOM_BYTES)
                .parse(text);
        if (bytes % LEAF_BYTES != 0) {
            throw new BadValueException("not a multiple of " + Figures.exactBytes(LEAF_BYTES));
        }
        return blockFor((int) bytes);
    }

    private static int packetBytes(String text) throws BadValueException {
        int bytes = Words.digits(text);
        if (bytes < 256 || bytes > 4096 || Integer.bitCount(bytes) != 1) {
            throw new BadValueException("not a packet size; write 256, 512, 1024, 2048, 4096 or auto");
        }
        return bytes;
    }

    private static Completions waiting(String word) {
        return switch (word) {
            case "busy" -> Completions.BUSY_POLL;
            case "event" -> Completions.EVENT;
            default -> Completions.ADAPTIVE;
        };
    }
}
