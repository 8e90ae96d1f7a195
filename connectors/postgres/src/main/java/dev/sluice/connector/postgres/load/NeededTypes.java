package dev.sluice.connector.postgres.load;

import dev.sluice.connector.api.load.DefinitionStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/** What makes the types of some columns on a target. Stateless. */
public final class NeededTypes {
  /** The oldest server that is a target; the log is read without knowing the target. */
  private static final int OLDEST_TARGET = 14;

  private NeededTypes() {}

  /**
   * @param types by their numbers in the source's catalog; those that are gone since are left out
   */
  public static List<DefinitionStatement> of(Connection connection, Collection<Long> types)
      throws SQLException {
    Prerequisites prerequisites = new Prerequisites(new CatalogRows(connection), OLDEST_TARGET);
    for (long type : types) {
      prerequisites.needType(type);
    }
    return prerequisites.statements();
  }
}
