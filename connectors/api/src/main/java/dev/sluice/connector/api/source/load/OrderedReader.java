package dev.sluice.connector.api.source.load;

import dev.sluice.connector.api.load.OrderedCopy;

/** Reads rows in the order of their keys. One read at a time; owned by the reading thread. */
public interface OrderedReader extends AutoCloseable {

  /** Begins to read the rows of a table. */
  OrderedLines read(OrderedCopy rows);

  @Override
  void close();
}
