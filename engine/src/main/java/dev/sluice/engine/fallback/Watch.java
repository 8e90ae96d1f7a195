package dev.sluice.engine.fallback;

/** Work that goes on beside a daemon until the daemon closes it; closing it never fails. */
public interface Watch extends AutoCloseable {
  @Override
  void close();
}
