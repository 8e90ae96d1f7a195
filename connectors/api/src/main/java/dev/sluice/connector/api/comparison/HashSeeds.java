package dev.sluice.connector.api.comparison;

import java.util.random.RandomGenerator;

/**
 * The seeds of a session's two hashes. Random for each session: two rows that collide in one
 * session do not in the next one. Immutable.
 */
public record HashSeeds(long first, long second) {

  public static HashSeeds random(RandomGenerator random) {
    return new HashSeeds(random.nextLong(), random.nextLong());
  }
}
