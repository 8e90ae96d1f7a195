package dev.sluice.sink.target;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.inventory.SchemaObject;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;

/** Reads what schemas of the target have apart from rows. Stateless. */
public final class TargetObjects {
  private TargetObjects() {}

  /**
   * The objects of the schemas, and the extensions of the database.
   *
   * @throws SluiceException if the target cannot be queried
   */
  public static Set<SchemaObject> read(TargetServer server, Collection<String> schemas) {
    try (TargetConnection connection = server.borrow()) {
      return connection.dialect().catalog().objects(connection.jdbc(), schemas);
    } catch (SQLException e) {
      throw server.errors().classify("read the objects of the target's schemas", e);
    }
  }
}
