package io.fdt.core.wire;

/**
 * A message on a control channel: those of every session, and one family for each service. Codes are on the wire and
 * never change. A field may be added, because readers ignore unknown fields.
 */
public sealed interface ControlMessage
        permits SessionMessage, TransferMessage, FileMessage, VerifyMessage, ThirdPartyMessage, NettestMessage {}
