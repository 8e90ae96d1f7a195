package dev.sluice.connector.mariadb.check;

import dev.sluice.connector.comparison.mariadb.FileName;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * InnoDB's tables that the catalog does not show to this user, without those that are InnoDB's own:
 * of a running ALTER, and of full-text indexes. Needs the right PROCESS. Stateless.
 */
final class HiddenTables {
  private static final String ALL =
      """
      SELECT CAST(t.NAME AS BINARY) FROM information_schema.%s t
      WHERE left(CAST(t.NAME AS BINARY), length(CAST(? AS BINARY))) = CAST(? AS BINARY)
      """;

  private static final String SHOWN =
      "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?";

  private static final Pattern PARTITION = Pattern.compile("(?i)#p#.*");
  private static final Pattern OWN = Pattern.compile("#sql.*|FTS_[0-9a-f]{16}_.*");

  /** The beginning that MySQL gives to its own. */
  private static final Pattern OWN_OF_MYSQL =
      Pattern.compile(OWN.pattern(), Pattern.CASE_INSENSITIVE);

  private HiddenTables() {}

  /**
   * Their names. One that is created or dropped between two statements is hidden in one reading
   * only.
   */
  static List<String> of(MariadbQuery query, String database) throws SQLException {
    List<String> hidden = read(query, database);
    if (!hidden.isEmpty()) {
      hidden.retainAll(read(query, database));
    }
    return hidden;
  }

  private static List<String> read(MariadbQuery query, String database) throws SQLException {
    String beginning = FileName.of(database) + "/";
    Pattern own = query.flavour() == Flavour.MARIADB ? OWN : OWN_OF_MYSQL;
    Set<String> shown =
        query.rows(SHOWN, database).stream()
            .map(row -> FileName.of(row[0]))
            .collect(Collectors.toSet());
    return query.rows(ALL.formatted(query.flavour().innodbTables()), beginning, beginning).stream()
        .map(row -> row[0].substring(beginning.length()))
        .filter(file -> !own.matcher(file).matches())
        .map(file -> PARTITION.matcher(file).replaceFirst(""))
        .filter(file -> !shown.contains(file))
        .map(FileName::read)
        .distinct()
        .sorted()
        .collect(Collectors.toCollection(ArrayList::new));
  }
}
