package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.config.TableId;

/** One change by ALTER TABLE. */
public sealed interface AlterClause {

  /** The existing column that is changed; empty if there is none. */
  default String column() {
    return "";
  }

  /** A new column. */
  record Add(ColumnText added, boolean unlessThere) implements AlterClause {}

  /** A column is dropped. */
  record Drop(String column, boolean ifThere) implements AlterClause {}

  /** A column only gets another name. */
  record Rename(String column, String name) implements AlterClause {}

  /** A column is declared again by MODIFY or CHANGE, the latter with a new name. */
  record Redefine(String column, ColumnText now) implements AlterClause {}

  /** An index or a constraint is dropped, which may be the key that identifies rows. */
  record DropIndex() implements AlterClause {}

  /** The table gets another name. */
  record RenameTable(TableId name) implements AlterClause {}

  /** The engine is InnoDB from then on. */
  record Engine() implements AlterClause {}

  /** A change of neither rows nor columns, such as an index or a comment. */
  record Nothing() implements AlterClause {}
}
