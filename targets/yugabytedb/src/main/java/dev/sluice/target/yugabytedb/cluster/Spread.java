package dev.sluice.target.yugabytedb.cluster;

import java.time.Duration;

/**
 * How sessions are spread over the servers of a cluster. Immutable.
 *
 * @param keys the placements that are preferred
 * @param keysOnly whether servers of other placements are excluded
 * @param refresh after this time the cluster is asked for its servers again
 * @param leave how long a server that could not be reached is avoided; longer after each failure
 */
record Spread(TopologyKeys keys, boolean keysOnly, Duration refresh, Duration leave) {}
