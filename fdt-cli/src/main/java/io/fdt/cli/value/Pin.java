package io.fdt.cli.value;

import io.fdt.core.host.CoreSet;

/**
 * The value of {@code --pin}.
 *
 * @param auto whether the tuner's plan selects the cores
 * @param cores the given cores; empty with auto, and if lanes are not pinned
 */
public record Pin(boolean auto, CoreSet cores) {
    public static final Pin AUTO = new Pin(true, CoreSet.NONE);
    public static final Pin NONE = new Pin(false, CoreSet.NONE);

    public static Pin parse(String text) throws BadValueException {
        CoreSet cores = CoreSet.ofList(text);
        return switch (text) {
            case "auto" -> AUTO;
            case "none" -> NONE;
            default -> {
                if (cores == null || cores.isEmpty()) {
                    throw new BadValueException("not auto, none or a list of cores; write for example 0-3,8");
                }
                yield new Pin(false, cores);
            }
        };
    }
}
