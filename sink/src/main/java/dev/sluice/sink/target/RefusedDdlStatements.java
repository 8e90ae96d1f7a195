package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Checked;
import java.util.List;
import java.util.function.Function;

/**
 * DDL of a target where a window changes no definitions: each change is refused with its name.
 * Stateless, threadsafe.
 */
public class RefusedDdlStatements implements DdlStatements {
  private final Function<String, SluiceException> refusal;

  /**
   * @param refusal makes the refusal of a change from its name
   */
  public RefusedDdlStatements(Function<String, SluiceException> refusal) {
    this.refusal = refusal;
  }

  @Override
  public boolean isTransactional() {
    return false;
  }

  @Override
  public String createTable(TableId table, TableDefinition definition) {
    throw refused("create table", table);
  }

  @Override
  public String createPartition(TableId table, TableId parent, TableDefinition definition) {
    throw refused("create partition", table);
  }

  @Override
  public List<String> closeAsMoved(TableId table) {
    return List.of();
  }

  @Override
  public List<String> noteRenamedIfMoved(TableId was, TableId now) {
    return List.of();
  }

  @Override
  public List<String> noteDroppedIfMoved(List<TableId> tables) {
    return List.of();
  }

  @Override
  public String addPrimaryKey(TableId table, List<String> columns, Checked checked) {
    throw refused("add primary key", table);
  }

  @Override
  public String dropConstraint(TableId table, String name) {
    throw refused("drop constraint", table);
  }

  @Override
  public String dropTables(List<TableId> tables) {
    throw refused("drop tables", tables);
  }

  @Override
  public String moveToSchema(TableId table, String schema) {
    throw refused("move to schema", table);
  }

  @Override
  public String rename(TableId table, String name) {
    throw refused("rename", table);
  }

  @Override
  public String endInheritance(TableId table, TableId parent) {
    throw refused("end inheritance", table);
  }

  @Override
  public String attach(TableId table, TableId parent, String bound) {
    throw refused("attach", table);
  }

  @Override
  public String detach(TableId table, TableId parent) {
    throw refused("detach", table);
  }

  @Override
  public String deleteRows(TableId table, String condition) {
    throw refused("delete rows", table);
  }

  @Override
  public String createSequence(TableId sequence, String options) {
    throw refused("create sequence", sequence);
  }

  @Override
  public String ownSequence(TableId sequence, TableId table, String column) {
    throw refused("own sequence", sequence);
  }

  @Override
  public List<String> addColumn(
      TableId table, ColumnDefinition column, boolean notNull, String existing) {
    throw refused("add column", table);
  }

  @Override
  public List<String> addColumn(TableId table, Column column, String existing) {
    throw refused("add column", table);
  }

  @Override
  public String dropColumn(TableId table, String column) {
    throw refused("drop column", table);
  }

  @Override
  public String renameColumn(TableId table, String column, String name) {
    throw refused("rename column", table);
  }

  @Override
  public String alterType(TableId table, ColumnDefinition column) {
    throw refused("alter type", table);
  }

  @Override
  public String setNotNull(TableId table, String column, boolean notNull) {
    throw refused("set not null", table);
  }

  @Override
  public String endGeneration(TableId table, String column) {
    throw refused("end generation", table);
  }

  @Override
  public String setDefault(TableId table, String column, String expression) {
    throw refused("set default", table);
  }

  @Override
  public String setDefaultToNext(TableId table, String column, TableId sequence) {
    throw refused("set default to next", table);
  }

  private SluiceException refused(String change, Object of) {
    return refusal.apply(change + " " + of);
  }
}
