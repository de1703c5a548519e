package io.fdt.core.host.tune;

/**
 * Something that costs rate, or may.
 *
 * @param code for scripts; never changes
 * @param subject the NIC, core or setting that it is about
 * @param text what is the case, with its figures
 * @param remedy what to do
 */
public record Finding(Severity severity, String code, String subject, String text, String remedy) {
    /** How sure it is that it costs rate. */
    public enum Severity {
        WARNING,
        NOTE
    }
}
