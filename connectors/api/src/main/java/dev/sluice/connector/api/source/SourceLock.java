package dev.sluice.connector.api.source;

import java.util.Optional;

/**
 * A lock with a random key, held on the source until it is closed. A session that sees the lock is
 * in the same database. Used by one thread.
 */
public interface SourceLock extends AutoCloseable {

  long key();

  /** The cluster to which the source belongs; empty if it belongs to none. */
  default Optional<SharedCluster> cluster() {
    return Optional.empty();
  }

  @Override
  void close();
}
