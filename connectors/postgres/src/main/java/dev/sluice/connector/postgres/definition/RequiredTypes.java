package dev.sluice.connector.postgres.definition;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.postgres.load.MadeCode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the statements for the types of columns on a target, for DDL in the log. Any role that
 * may alter a table chooses the types, so no code is created with them. Stateless.
 */
public final class RequiredTypes {
  /** The oldest supported target; the target's version is unknown while the log is read. */
  private static final int OLDEST_TARGET = 14;

  private static final Logger LOG = LoggerFactory.getLogger(RequiredTypes.class);

  private RequiredTypes() {}

  /**
   * @param types oids on the source; dropped ones are skipped
   */
  public static List<DefinitionStatement> of(Connection connection, Collection<Long> types)
      throws SQLException {
    Prerequisites prerequisites =
        new Prerequisites(new CatalogRows(connection), OLDEST_TARGET, MadeCode.NONE);
    for (long type : types) {
      try {
        prerequisites.needType(type);
      } catch (SluiceException.Fatal e) {
        // Only this type's tables fail, unless the user creates it on the target by hand.
        LOG.warn("{}", e.getMessage());
      }
    }
    return prerequisites.statements();
  }
}
