package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Definitions of a target where a window changes none: each change is refused with its name, like
 * in {@link RefusedDdlStatements}. Owned by the connection's thread.
 */
public abstract class RefusedDefinitions implements TargetDefinitions {
  private final TargetConnection connection;
  private final Function<String, SluiceException> refusal;

  /**
   * @param refusal makes the refusal of a change from its name
   */
  protected RefusedDefinitions(
      TargetConnection connection, Function<String, SluiceException> refusal) {
    this.connection = connection;
    this.refusal = refusal;
  }

  /** The clause that ends a query after its first row. */
  protected abstract String onlyFirstRow();

  /** The statement in messages that makes a column stay NULL which the target would fill. */
  protected abstract String leavingNull(TableId table, TargetColumn column);

  @Override
  public final Optional<Found> find(TableId table) {
    throw refusal.apply("the definition of " + table);
  }

  @Override
  public final boolean inherits(TableId table, TableId parent) {
    return false;
  }

  @Override
  public final boolean hasRows(TableId table) throws SQLException {
    return connection.exists("SELECT 1 FROM " + table.quoted() + " " + onlyFirstRow());
  }

  @Override
  public void makeSchema(String schema) {
    throw refusal.apply("schema " + schema);
  }

  @Override
  public final void runUnder(Map<String, String> settings, List<String> statements) {
    throw refusal.apply(String.join("; ", statements));
  }

  @Override
  public final Map<String, Filled> filled(TableId table, List<String> columns) throws SQLException {
    Optional<TargetTable> found = connection.dialect().catalog().table(connection.jdbc(), table);
    Map<String, Filled> filled = new LinkedHashMap<>();
    for (TargetColumn column : found.map(TargetTable::columns).orElse(List.of())) {
      if (columns.contains(column.name()) && column.hasDefault()) {
        filled.put(
            column.name(),
            new Filled(
                column.generated() ? "its expression" : "its default", leavingNull(table, column)));
      }
    }
    return filled;
  }
}
