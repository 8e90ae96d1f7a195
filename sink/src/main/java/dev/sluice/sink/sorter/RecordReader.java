package dev.sluice.sink.sorter;

/** Gives the journal records of one transaction in their order, once. */
public interface RecordReader extends AutoCloseable {

  /** The next record's value, or null after the last. */
  byte[] next();

  @Override
  void close();
}
