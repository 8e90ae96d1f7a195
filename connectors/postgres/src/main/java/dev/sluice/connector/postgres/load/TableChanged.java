package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;

/**
 * A table is not what it was before the snapshot was taken: the snapshot no longer shows its rows,
 * and COPY would read none of them without an error. It is to be loaded under a new snapshot.
 *
 * @param difference what was found, for messages
 */
public record TableChanged(TableId table, String difference) {}
