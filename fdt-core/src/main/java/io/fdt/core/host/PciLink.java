package io.fdt.core.host;

import io.fdt.core.basic.Figures;

/**
 * The PCI Express link of a NIC.
 *
 * @param address {@code 0000:81:00.0}
 * @param gigatransfers per second and PCIe lane, at the present speed; 0 if unknown
 * @param width the present number of PCIe lanes; 0 if unknown
 * @param maxGigatransfers that the device supports
 * @param readRequestBytes the maximum size of one memory read request (MaxReadReq); 0 if unknown
 */
public record PciLink(
        String address, double gigatransfers, int width, double maxGigatransfers, int maxWidth, int readRequestBytes) {
    /** The share of the encoded rate that published tests of Gen2 x8 reached for data: 24.6 of 32 Gb/s. */
    private static final double OLD_USABLE = 24.6 / 32;

    /** Each packet of 256 bytes has about 24 bytes of header and framing, and acknowledgements come on top. */
    private static final double USABLE = 0.87;

    private static final double GIGA = 1e9;

    public boolean isKnown() {
        return gigatransfers > 0 && width > 0;
    }

    public int generation() {
        return generation(gigatransfers);
    }

    private static int generation(double gigatransfers) {
        double[] rates = {2.5, 5, 8, 16, 32, 64};
        for (int i = 0; i < rates.length; i++) {
            if (gigatransfers <= rates[i] + 0.01) {
                return i + 1;
            }
        }
        return rates.length + 1;
    }

    /** Whether the link runs slower or narrower than the device supports. */
    public boolean isReduced() {
        return isKnown() && (gigatransfers < maxGigatransfers - 0.01 || width < maxWidth);
    }

    /** Returns the bit rate on the wires. */
    public double rawBitsPerSecond() {
        return gigatransfers * width * GIGA;
    }

    /** Returns the bit rate without the overhead of the line code. */
    public double encodedBitsPerSecond() {
        return rawBitsPerSecond()
                * switch (generation()) {
                    case 1, 2 -> 8.0 / 10;
                    case 3, 4, 5 -> 128.0 / 130;
                    default -> 242.0 / 256;
                };
    }

    /** Returns the rate left for data in practice; an empirical value. */
    public double practicalBitsPerSecond() {
        return encodedBitsPerSecond() * (generation() <= 2 ? OLD_USABLE : USABLE);
    }

    /** {@code Gen2 x8}. */
    public String label() {
        return isKnown() ? "Gen" + generation() + " x" + width : "?";
    }

    /** {@code Gen3 x16}: the maximum of the device. */
    public String maxLabel() {
        return maxGigatransfers > 0 ? "Gen" + generation(maxGigatransfers) + " x" + maxWidth : "?";
    }

    /** {@code Gen2 x8: 5 GT/s x 8 = 40 Gb/s raw, 32.0 after 8b/10b, about 24.6 in practice}. */
    public String arithmetic() {
        String code = switch (generation()) {
            case 1, 2 -> "8b/10b";
            case 3, 4, 5 -> "128b/130b";
            default -> "242B/256B flits";
        };
        String rate = gigatransfers == Math.rint(gigatransfers)
                ? String.valueOf((long) gigatransfers)
                : String.valueOf(gigatransfers);
        return Figures.text(
                "%s: %s GT/s x %d = %.0f Gb/s raw, %.1f after %s, about %.1f in practice",
                label(),
                rate,
                width,
                rawBitsPerSecond() / GIGA,
                encodedBitsPerSecond() / GIGA,
                code,
                practicalBitsPerSecond() / GIGA);
    }
}
