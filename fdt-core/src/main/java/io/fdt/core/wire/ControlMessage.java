package io.fdt.core.wire;

/**
 * Everything that is said on a control channel: what every session says, and one family for each service. Codes are on
 * the wire and never change; a field may be added, what a reader does not know it ignores.
 */
public sealed interface ControlMessage
        permits SessionMessage, TransferMessage, VerifyMessage, ErrandMessage, NettestMessage {}
