package dev.sluice.connector.mariadb.capture.search;

import dev.sluice.connector.mariadb.capture.position.BinlogPosition;

/**
 * What the target has of the log. Immutable.
 *
 * @param lowest all that is before this place
 * @param furthest something that is before this place: lanes apply beside each other, and a load
 *     that goes on reads tables later than others
 */
public record AppliedPlaces(BinlogPosition lowest, BinlogPosition furthest) {}
