package dev.sluice.engine.status;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * How somebody wants to cut over. Immutable.
 *
 * @param timeout for each wait in which applications go on
 * @param budget for how long the writers of the source may be stopped, by locks; empty if they are
 *     not stopped: the source must be quiet by itself
 * @param accepted kinds of choices that somebody has accepted
 */
public record CutoverOrder(Duration timeout, Optional<Duration> budget, Set<String> accepted) {

  public CutoverOrder {
    accepted = Set.copyOf(new TreeSet<>(accepted));
  }

  /** Of a source that is quiet by itself, with nothing accepted. */
  public static CutoverOrder quiet(Duration timeout) {
    return new CutoverOrder(timeout, Optional.empty(), Set.of());
  }
}
