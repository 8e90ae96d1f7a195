package dev.sluice.connector.generic.record;

import dev.sluice.config.document.SluiceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Struct;

/**
 * The events of one transaction that came so far, in all and for each table. Owned by one thread.
 */
final class EventCounts {
  private final Map<String, Long> counts = new HashMap<>();
  private long all;

  void clear() {
    counts.clear();
    all = 0;
  }

  /**
   * One more has come.
   *
   * @param collection the name by which Debezium counts the events of its table
   */
  void add(String collection) {
    counts.merge(collection, 1L, Long::sum);
    all++;
  }

  long all() {
    return all;
  }

  boolean isEmpty() {
    return all == 0;
  }

  /**
   * Requires that as many have come as Debezium counts.
   *
   * @param id of the transaction
   * @param end the record of its end
   * @throws SluiceException.Fatal if others have
   */
  void requireComplete(String id, Struct end) {
    Map<String, Long> counted = new HashMap<>();
    List<Struct> collections = end.getArray("data_collections");
    if (collections != null) {
      collections.forEach(
          each ->
              counted.merge(
                  each.getString("data_collection"), each.getInt64("event_count"), Long::sum));
    }
    long wanted = end.getInt64("event_count");
    if (all != wanted || !counts.equals(counted)) {
      throw TransactionAssembler.incomplete(
          id,
          "%d events came, %s".formatted(all, counts),
          "%d as Debezium counts at its end, %s".formatted(wanted, counted));
    }
  }
}
