package dev.sluice.connector.generic.record;

import dev.sluice.connector.api.ChangeEvent;
import org.apache.kafka.connect.source.SourceRecord;

/** What the records of a connector come to, in their order. */
public interface CapturedStream {

  /** The next change of the open transaction; the first one opens it. */
  void change(ChangeEvent change);

  /**
   * The open transaction is complete, and has changes.
   *
   * @param commitMicros its commit time as Debezium has it, microseconds since 1970
   * @param last its last record, with which Debezium notes that it is safe
   */
  void end(Bookmark bookmark, long commitMicros, SourceRecord last);

  /**
   * The log was read up to a place between two transactions.
   *
   * @param micros time of the source, microseconds since 1970
   */
  void progress(Bookmark bookmark, long micros, SourceRecord last);

  /**
   * A transaction has begun, and nothing has come of it so far: it may be a statement, which has no
   * end.
   *
   * @param begun that transaction, and Debezium's offset in it; never journaled
   */
  void begun(Bookmark begun);

  /** Whether the place after each transaction is asked for, also of those without changes. */
  boolean asksForEachEnd();
}
