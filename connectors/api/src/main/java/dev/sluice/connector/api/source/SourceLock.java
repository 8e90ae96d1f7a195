package dev.sluice.connector.api.source;

import java.util.Optional;

/**
 * A lock with a random key, held on the source until it is closed. A session that sees the lock is
 * in the same database. Used by one thread.
 */
public interface SourceLock extends AutoCloseable {

  long key();

  /**
   * What all members of the cluster have in common to which the source belongs: they have the same
   * rows, and see no lock of each other. Empty if it belongs to none.
   */
  default Optional<String> cluster() {
    return Optional.empty();
  }

  @Override
  void close();
}
