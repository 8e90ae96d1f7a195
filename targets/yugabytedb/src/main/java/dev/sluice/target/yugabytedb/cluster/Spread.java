package dev.sluice.target.yugabytedb.cluster;

import java.time.Duration;

/**
 * How sessions are spread over the servers of a cluster. Immutable.
 *
 * @param keys the placements that are preferred
 * @param keysOnly whether servers of other placements are left out
 * @param refresh after this the servers are asked for again
 * @param leave for so long a server that could not be reached is left, and longer each time
 */
record Spread(TopologyKeys keys, boolean keysOnly, Duration refresh, Duration leave) {}
