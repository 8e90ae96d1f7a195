package dev.sluice.connector.api.source;

import java.util.Collections;
import java.util.Set;

/**
 * A cluster as one of its members reports it. All members have the same rows, and see no lock of
 * each other. Immutable.
 *
 * @param name what the cluster is called; another one may have the same, such as by a copied
 *     configuration
 * @param proofs what no member of another cluster says; empty if it cannot be read
 */
public record SharedCluster(String name, Set<String> proofs) {
  public SharedCluster {
    proofs = Set.copyOf(proofs);
  }

  /** Whether both members have the same rows. */
  public boolean is(SharedCluster other) {
    return hasNameOf(other) && !Collections.disjoint(proofs, other.proofs);
  }

  /** Whether both members may have the same rows, for all that their names say. */
  public boolean hasNameOf(SharedCluster other) {
    return name.equals(other.name);
  }
}
