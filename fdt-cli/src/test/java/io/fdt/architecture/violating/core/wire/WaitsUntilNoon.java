package io.fdt.architecture.violating.core.wire;

final class WaitsUntilNoon {
    private WaitsUntilNoon() {}

    static boolean isOver(long noonMs) {
        return System.currentTimeMillis() >= noonMs;
    }
}
