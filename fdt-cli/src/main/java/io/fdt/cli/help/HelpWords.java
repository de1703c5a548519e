package io.fdt.cli.help;

/** The words of {@code fdt help}, for help and completion. */
public final class HelpWords {
    public static final String WORD = "help";
    public static final String SUMMARY = "explain a command, or write the manual pages";
    public static final String MAN = "--man";
    public static final String MAN_HELP = "print a manual page to stdout: fdt help --man client | man -l -";
    public static final String MAN_TO = "--man-to";
    public static final String MAN_TO_HELP = "write all manual pages to this directory";

    private HelpWords() {}
}
