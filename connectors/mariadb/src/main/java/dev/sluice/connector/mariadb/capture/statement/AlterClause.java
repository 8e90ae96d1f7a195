package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.config.TableId;

/** One change by ALTER TABLE. */
public sealed interface AlterClause {

  /** A new column. */
  record Add(ColumnText column, boolean unlessThere) implements AlterClause {}

  /** A column goes. */
  record Drop(String column, boolean ifThere) implements AlterClause {}

  /** A column gets another name only. */
  record Rename(String column, String name) implements AlterClause {}

  /** A column is declared again, by CHANGE under another name. */
  record Redefine(String column, ColumnText now) implements AlterClause {}

  /** An index or a constraint goes, which may be the key by which rows are found. */
  record DropIndex() implements AlterClause {}

  /** The table gets another name. */
  record RenameTable(TableId name) implements AlterClause {}

  /** The engine is InnoDB from then on. */
  record Engine() implements AlterClause {}

  /** What changes neither rows nor columns, such as an index or a comment. */
  record Nothing() implements AlterClause {}
}
