package dev.sluice.connector.api.source;

import dev.sluice.connector.api.Position;
import java.util.OptionalLong;

/**
 * The state of a replication slot. Immutable.
 *
 * @param confirmed the position up to which Sluice has acknowledged the log
 * @param activePid the server process that reads from it
 * @param lost whether the server has removed log that the slot needs
 * @param retainedBytes how much log the server keeps for it, in bytes
 * @param room how many more bytes may be written before the server may remove log that the slot
 *     needs; empty if max_slot_wal_keep_size sets no limit
 * @param unreserved whether the server may do so at its next checkpoint
 */
public record RetentionState(
    Position confirmed,
    OptionalLong activePid,
    boolean lost,
    long retainedBytes,
    OptionalLong room,
    boolean unreserved) {}
