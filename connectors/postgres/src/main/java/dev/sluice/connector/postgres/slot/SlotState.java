package dev.sluice.connector.postgres.slot;

import dev.sluice.connector.api.Position;
import java.util.OptionalLong;

/**
 * A replication slot as the server shows it. Immutable.
 *
 * @param confirmed up to here everything was told to be safe
 * @param activePid the server process that reads from it
 * @param lost whether the server has given up the log that it needs
 * @param retainedBytes how much log the server keeps for it
 * @param room how much more may be written before the server may give up what the slot needs; empty
 *     where max_slot_wal_keep_size sets no limit
 * @param unreserved whether the server may do so at its next checkpoint
 */
public record SlotState(
    Position confirmed,
    OptionalLong activePid,
    boolean lost,
    long retainedBytes,
    OptionalLong room,
    boolean unreserved) {}
