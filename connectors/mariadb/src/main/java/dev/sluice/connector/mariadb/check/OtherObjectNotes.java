package dev.sluice.connector.mariadb.check;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.mariadb.catalog.DatabaseSequences;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Names views and sequences of the database that are not created on the target. Stateless. */
final class OtherObjectNotes {
  private static final String VIEWS =
      "SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME";

  private OtherObjectNotes() {}

  static List<String> of(
      Connection connection, String database, DatabaseTables catalog, TableMappings mappings)
      throws SQLException {
    List<String> notes = new ArrayList<>();
    List<String> views =
        new MariadbQuery(connection).rows(VIEWS, database).stream().map(row -> row[0]).toList();
    if (!views.isEmpty()) {
      notes.add(
          "the views %s are not created on the target; create them there if applications need them"
              .formatted(views));
    }
    List<String> byHand =
        DatabaseSequences.read(connection, database, catalog).states().stream()
            .filter(state -> !isMade(state, mappings))
            .map(SequenceState::sequence)
            .map(TableId::name)
            .toList();
    if (!byHand.isEmpty()) {
      notes.add(
          "the sequences %s are in no default of a selected table, so they are not made; a cutover sets their values, and is refused while they are missing on the target"
              .formatted(byHand));
    }
    return notes;
  }

  private static boolean isMade(SequenceState state, TableMappings mappings) {
    return state.use().filter(use -> mappings.selects(use.table())).isPresent();
  }
}
