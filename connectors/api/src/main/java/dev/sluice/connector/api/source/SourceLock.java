package dev.sluice.connector.api.source;

/**
 * A lock with a random key, held on the source until it is closed. A session that sees the lock is
 * in the same database. Used by one thread.
 */
public interface SourceLock extends AutoCloseable {

  long key();

  @Override
  void close();
}
