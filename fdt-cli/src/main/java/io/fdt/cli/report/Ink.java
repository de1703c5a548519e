package io.fdt.cli.report;

import java.util.List;

/**
 * The colours of a drawing by purpose, on light and dark backgrounds. Curves use the colours of Okabe and Ito, which
 * can be distinguished with any colour vision, adjusted for contrast; shares use cividis, which looks the same to all
 * readers and becomes evenly lighter.
 */
enum Ink {
    PAPER(0xffffff, 0x14181d),
    TEXT(0x1a1f24, 0xe6e9ec),
    MUTED(0x56606a, 0xa3adb6),
    GRID(0xe1e5e9, 0x2c333a),
    AXIS(0x8a949e, 0x66707a),
    C0(0x0072b2, 0x4aa8e0),
    C1(0xd55e00, 0xf08a3c),
    C2(0x00795a, 0x2bc39a),
    C3(0xb4508a, 0xe39ac5),
    C4(0xa87900, 0xe8b52e),
    C5(0x3a8fc0, 0x8ccdf2),
    C6(0x5b4b9a, 0xa99be6),
    C7(0x4d4d4d, 0xc2c2c2),
    H0(0x00204d),
    H1(0x00306f),
    H2(0x2a406c),
    H3(0x48526b),
    H4(0x5e626e),
    H5(0x727374),
    H6(0x878479),
    H7(0x9e9677),
    H8(0xb6a971),
    H9(0xd0be67),
    H10(0xead357),
    H11(0xffea46);

    private static final List<Ink> CURVES = List.of(C0, C1, C2, C3, C4, C5, C6, C7);
    private static final List<Ink> SHARES = List.of(H0, H1, H2, H3, H4, H5, H6, H7, H8, H9, H10, H11);

    private final int light;
    private final int dark;

    Ink(int both) {
        this(both, both);
    }

    Ink(int light, int dark) {
        this.light = light;
        this.dark = dark;
    }

    /** The ink of the curve with this index; they repeat. */
    static Ink ofCurve(int index) {
        return CURVES.get(index % CURVES.size());
    }

    /** The ink of a share from 0 to 1. */
    static Ink ofShare(double share) {
        int step = (int) (Math.min(1, Math.max(0, share)) * SHARES.size());
        return SHARES.get(Math.min(step, SHARES.size() - 1));
    }

    static int shareSteps() {
        return SHARES.size();
    }

    int light() {
        return light;
    }

    int dark() {
        return dark;
    }
}
