package dev.sluice.connector.mariadb.capture.search;

import dev.sluice.connector.mariadb.capture.position.BinlogPosition;

/**
 * How much of the log the target has. Immutable.
 *
 * @param lowest the target has everything before this place
 * @param furthest the target has nothing after this place, but may have some changes up to it:
 *     lanes apply in parallel, and a resumed load reads some tables later than others
 */
public record AppliedPlaces(BinlogPosition lowest, BinlogPosition furthest) {}
