package dev.sluice.engine.status;

import java.time.Instant;

/**
 * One table: the counters of DMS's table statistics, without those of error rows, since a load
 * stops at a bad row. Immutable.
 *
 * @param state in DMS's words
 * @param ddls how often it was made, altered, dropped or emptied
 * @param conflicts changes that the target rejected
 * @param upserts inserts and updates that were applied as the other
 * @param suspendedChanges skipped because the table is suspended
 * @param valuesCut by LimitedSizeLobMode or the table's lob-settings, in the load and in changes
 * @param fullLoad progress of its load; null if this daemon made none
 * @param fullLoadReloaded whether an earlier attempt to load it was interrupted
 * @param lastUpdateTime when its counters last changed
 * @param lastRejection the last of the conflicts, in words; null if there is none
 */
public record TableStatus(
    String schema,
    String table,
    String state,
    long inserts,
    long updates,
    long deletes,
    long ddls,
    long appliedInserts,
    long appliedUpdates,
    long appliedDeletes,
    long appliedDdls,
    long conflicts,
    long upserts,
    long suspendedChanges,
    long valuesCut,
    long fullLoadRows,
    long fullLoadBytes,
    boolean fullLoadReloaded,
    LoadStatus fullLoad,
    Instant fullLoadStartTime,
    Instant fullLoadEndTime,
    Instant lastUpdateTime,
    String lastRejection) {}
