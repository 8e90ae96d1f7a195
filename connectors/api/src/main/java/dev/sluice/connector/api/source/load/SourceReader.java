package dev.sluice.connector.api.source.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.source.catalog.TypeCatalog;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * Reads definitions, rows and sequences of the source. Each call opens a session of its own; what
 * it returns open is closed by the caller. Threadsafe; {@code toString} is user and address, for
 * messages.
 */
public interface SourceReader {

  /**
   * Records the tables' present definitions, and divides them into segments.
   *
   * @throws SluiceException.Overtaken naming every table that was dropped or renamed since it was
   *     selected
   * @throws SluiceException.Fatal with the problems of all parallel-load rules
   */
  RecordedTables record(List<TableId> tables, SegmentRules rules);

  /**
   * Records the tables' present definitions, in the given order.
   *
   * @throws SluiceException.Overtaken naming every table that was dropped or renamed since it was
   *     selected
   */
  List<RecordedTable> record(List<TableId> tables);

  /**
   * Opens a snapshot for reading.
   *
   * @param snapshot its name; it must be open
   * @throws SluiceException.Retryable if the server is unreachable or the snapshot no longer exists
   */
  SnapshotReader open(String snapshot);

  /**
   * Whether it can write rows in PostgreSQL's binary format. Without it a layout is in the text
   * format.
   */
  default boolean writesBinary() {
    return true;
  }

  /** Opens a session that reads the present rows in order. */
  OrderedReader inOrder();

  /** Opens a session that reads the types of columns. */
  TypeCatalog types();

  /**
   * The definitions of the tables, without constraints and triggers.
   *
   * @throws SluiceException.Fatal naming the code that may not run
   * @throws SluiceException.Overtaken if a table was dropped
   */
  TableDefinitions definitions(DefinitionRequest request);

  /**
   * The constraints and triggers of tables that are on the target. Steps that lock tables are
   * numbered one after the other: two at the same time could deadlock.
   *
   * @throws SluiceException.Overtaken if a table was dropped
   */
  List<CompletionStep> constraints(DefinitionRequest request);

  /**
   * The tables without SQL, for a target with types and statements of its own.
   *
   * @throws SluiceException.Fatal if the source has only statements
   * @throws SluiceException.Overtaken if a table was dropped
   */
  default List<TableOutline> outlines(DefinitionRequest request) {
    throw new SluiceException.Fatal(
        "BUG: this source describes its tables in statements only: " + this, null);
  }

  /**
   * One problem for each function that a target would evaluate with the loader's rights, and that
   * needs consent for it.
   *
   * @param tables names on the source; partitions are included with their root
   */
  List<Problem> codeThatNeedsConsent(Collection<TableId> tables);

  /**
   * Reads the sequences of the tables and other selected ones.
   *
   * @param others selects among the sequences that no column owns
   */
  SequenceReading sequences(List<TableId> tables, Predicate<TableId> others);
}
