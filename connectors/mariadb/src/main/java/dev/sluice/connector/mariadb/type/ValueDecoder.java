package dev.sluice.connector.mariadb.type;

/**
 * Decodes the values of one column of the binary log into PostgreSQL's text. Owned by the thread
 * that decodes the log.
 */
public interface ValueDecoder {

  /**
   * Adds the text of the value at an offset.
   *
   * @return the offset after the value
   */
  int decode(byte[] log, int at, ValueText text);

  /** The offset after the value at an offset. */
  int skip(byte[] log, int at);
}
