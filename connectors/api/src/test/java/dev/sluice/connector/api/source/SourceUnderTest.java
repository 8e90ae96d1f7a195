package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.Position;
import java.util.List;

/**
 * A source database of its own, as {@link SourceContractTest} needs it. Statements are standard
 * SQL.
 */
public interface SourceUnderTest extends AutoCloseable {

  /** The source of the task under test. */
  Source source();

  /** The source of another task, with the same names in its task file. */
  Source ofAnotherTask();

  /** Runs statements of an application, each in a transaction of its own. */
  void execute(String... statements);

  /** Runs a statement of an application in a transaction, which what is returned rolls back. */
  Runnable leaveOpen(String statement);

  /** A table that was created without a schema. */
  TableId table(String name);

  /** Starts a capture at the retention's position; its journal is read from the beginning. */
  Captured capture(CaptureScope scope);

  /** What exists on the server and is no application's, one line each. */
  List<String> leftovers();

  @Override
  void close();

  /** A running capture, and the journal that it writes. */
  interface Captured extends AutoCloseable {

    /** Waits for the next transactions with events. */
    List<Transaction> next(int count);

    @Override
    void close();
  }

  /** A committed transaction of the journal. */
  record Transaction(Position position, List<ChangeEvent> events) {}
}
