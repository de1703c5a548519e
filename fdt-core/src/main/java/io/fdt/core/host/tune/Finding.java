package io.fdt.core.host.tune;

/**
 * A condition that reduces the rate, or may.
 *
 * @param code for scripts; never changes
 * @param subject the NIC, core or setting concerned
 * @param text describes the condition, with figures
 */
public record Finding(Severity severity, String code, String subject, String text, String remedy) {
    /** How certain it is that the rate is reduced. */
    public enum Severity {
        WARNING,
        NOTE
    }
}
