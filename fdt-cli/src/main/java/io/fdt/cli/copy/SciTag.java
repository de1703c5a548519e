package io.fdt.cli.copy;

import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Words;

/** What a copy is for, by the numbers of the registry of scitags.org. */
record SciTag(int experiment, int activity) {
    private static final int MAX_EXPERIMENT = 511;
    private static final int MAX_ACTIVITY = 63;

    static SciTag parse(String text) throws BadValueException {
        int dot = text.indexOf('.');
        int experiment = dot < 0 ? -1 : Words.digits(text.substring(0, dot));
        int activity = Words.digits(text.substring(dot + 1));
        if (experiment < 1 || experiment > MAX_EXPERIMENT || activity < 1 || activity > MAX_ACTIVITY) {
            throw new BadValueException("not the numbers of an experiment, 1 to " + MAX_EXPERIMENT
                    + ", and an activity, 1 to " + MAX_ACTIVITY + "; write for example 2.3");
        }
        return new SciTag(experiment, activity);
    }
}
