package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Checked;
import java.util.List;

/** Statements that create and alter target tables as those of the source. Stateless, threadsafe. */
public interface DdlStatements {

  /**
   * Whether DDL is part of the open transaction. If not, altered definitions are not replicated: a
   * window must commit its rows and its checkpoint together.
   */
  boolean isTransactional();

  /**
   * Whether a statement that creates an index or a constraint must run outside of a transaction.
   */
  default boolean runsAlone() {
    return false;
  }

  /** Creates a table with its columns, without key and defaults. */
  String createTable(TableId table, TableDefinition definition);

  String createPartition(TableId table, TableId parent, TableDefinition definition);

  /**
   * Closes a table for writers as a decided cutover has closed the others, if the session's role is
   * that of the cutover's way back. Does nothing for any other role.
   */
  List<String> closeAsMoved(TableId table);

  /**
   * Records that a closed table was renamed, or moved to another schema, if the session's role is
   * that of the cutover's way back. By the record, the watch on closed tables distinguishes this
   * from changes by others. Run right after the rename, in the same transaction. Does nothing for
   * any other role.
   */
  List<String> noteRenamedIfMoved(TableId was, TableId now);

  /** Records the same for closed tables that are dropped. Run right before the drop. */
  List<String> noteDroppedIfMoved(List<TableId> tables);

  String addPrimaryKey(TableId table, List<String> columns, Checked checked);

  String dropConstraint(TableId table, String name);

  /** Drops tables together, and nothing that depends on them. */
  String dropTables(List<TableId> tables);

  String moveToSchema(TableId table, String schema);

  String rename(TableId table, String name);

  String endInheritance(TableId table, TableId parent);

  /**
   * @param bound the rows of the partition, in the source's SQL
   */
  String attach(TableId table, TableId parent, String bound);

  String detach(TableId table, TableId parent);

  /**
   * @param condition on the rows, in the source's SQL
   */
  String deleteRows(TableId table, String condition);

  /** Creates a sequence unless it exists. */
  String createSequence(TableId sequence, String options);

  /** Drops the sequence with the column. */
  String ownSequence(TableId sequence, TableId table, String column);

  /**
   * Adds a column of the source. Later rows bring their own values, so it has no default
   * afterwards.
   *
   * @param existing the value of existing rows, in text form; null for NULL
   */
  List<String> addColumn(TableId table, ColumnDefinition column, boolean notNull, String existing);

  /**
   * Adds a column of which only the row schema is known.
   *
   * @param existing the value of existing rows, in text form; null for NULL
   */
  List<String> addColumn(TableId table, Column column, String existing);

  String dropColumn(TableId table, String column);

  String renameColumn(TableId table, String column, String name);

  /** Changes a column to the type and collation of the source's column. */
  String alterType(TableId table, ColumnDefinition column);

  String setNotNull(TableId table, String column, boolean notNull);

  /** Makes a generated column a plain one. */
  String endGeneration(TableId table, String column);

  /**
   * @param expression in the source's SQL
   */
  String setDefault(TableId table, String column, String expression);

  String setDefaultToNext(TableId table, String column, TableId sequence);
}
