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
 * What makes the types of some columns on a target. Who may alter a table of the source decides
 * what they are, so no code comes with them. Stateless.
 */
public final class RequiredTypes {
  /** The oldest server that is a target; the log is read without knowing the target. */
  private static final int OLDEST_TARGET = 14;

  private static final Logger LOG = LoggerFactory.getLogger(RequiredTypes.class);

  private RequiredTypes() {}

  /**
   * @param types by their numbers in the source's catalog; those that are gone since are left out
   */
  public static List<DefinitionStatement> of(Connection connection, Collection<Long> types)
      throws SQLException {
    Prerequisites prerequisites =
        new Prerequisites(new CatalogRows(connection), OLDEST_TARGET, MadeCode.NONE);
    for (long type : types) {
      try {
        prerequisites.needType(type);
      } catch (SluiceException.Fatal e) {
        // The target has it by hand, or does not take the table: no matter of all the others.
        LOG.warn("{}", e.getMessage());
      }
    }
    return prerequisites.statements();
  }
}
