package dev.sluice.connector.api.source.load;

/**
 * Lines of COPY's text format, ordered as {@link OrderedReader} says. Owned by the reading thread.
 */
public interface OrderedLines extends AutoCloseable {

  /** The next line; null after the last. */
  byte[] next();

  /** Ends the reading, also before the last line. */
  @Override
  void close();
}
