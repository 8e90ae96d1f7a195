package dev.sluice.sink.sorter;

/** Iterates over the journal records of one transaction in order, once. */
public interface RecordReader extends AutoCloseable {

  /** The next record's value; null after the last. */
  byte[] next();

  @Override
  void close();
}
