package io.fdt.core.storage.target;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;

/** Failures of the target that was read as if it were a source, and the reverse. */
final class OtherSide {
    private OtherSide() {}

    static TransferException asTarget(TransferException failure) {
        Cause cause = failure.failure().cause();
        Cause there = switch (cause) {
            case SOURCE_IO_ERROR -> Cause.IO_ERROR;
            case UNREADABLE -> Cause.PERMISSION;
            case SOURCE_LOOP -> Cause.TARGET_LOOP;
            case PATH_TOO_LONG -> Cause.NAME_TOO_LONG;
            default -> cause.kind() == FailureKind.SOURCE ? Cause.TARGET : cause;
        };
        return changed(failure, there);
    }

    static TransferException asSource(TransferException failure) {
        Cause cause = failure.failure().cause();
        Cause there = switch (cause) {
            case IO_ERROR -> Cause.SOURCE_IO_ERROR;
            case PERMISSION -> Cause.UNREADABLE;
            case TARGET_LOOP -> Cause.SOURCE_LOOP;
            case NAME_TOO_LONG -> Cause.PATH_TOO_LONG;
            default -> cause.kind() == FailureKind.TARGET ? Cause.SOURCE : cause;
        };
        return changed(failure, there);
    }

    private static TransferException changed(TransferException failure, Cause there) {
        return failure.is(there)
                ? failure
                : new TransferException(failure.failure().because(there), failure);
    }
}
