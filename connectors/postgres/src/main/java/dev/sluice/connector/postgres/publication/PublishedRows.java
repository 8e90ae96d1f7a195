package dev.sluice.connector.postgres.publication;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/*
 * Only the server can compare two conditions, and only by an ALTER, which locks. So the text that it printed
 * when the task began is kept.
 */
/** The row filter of each published table when the task began to read it. Threadsafe. */
public final class PublishedRows {
  private final Map<TableId, Optional<String>> begun = new ConcurrentHashMap<>();

  /** Stores the present filters as the expected ones. */
  void begin(Connection connection, String publication) throws SQLException {
    for (PublicationShape.Entry entry : PublicationShape.entries(connection, publication)) {
      begun.put(entry.table(), Optional.ofNullable(entry.filter()));
    }
  }

  /**
   * The differences of the selected tables' filters from the stored ones. For a new table the
   * present filter is stored if a rule filters it, else no filter is expected.
   *
   * @param selected tests the name of the root
   * @param filtered whether a rule filters a table
   */
  List<Problem> problems(
      Connection connection,
      String publication,
      Predicate<TableId> selected,
      Predicate<TableId> filtered)
      throws SQLException {
    List<Problem> problems = new ArrayList<>();
    for (PublicationShape.Entry entry : PublicationShape.entries(connection, publication)) {
      if (!selected.test(entry.root())) {
        continue;
      }
      if (entry.hasColumnList()) {
        problems.add(PublicationShape.columnList(publication, entry));
      }
      Optional<String> now = Optional.ofNullable(entry.filter());
      Optional<String> right =
          begun.computeIfAbsent(
              entry.table(), table -> filtered.test(table) ? now : Optional.empty());
      if (!now.equals(right)) {
        problems.add(PublicationShape.filter(publication, entry, right.orElse(null)));
      }
    }
    return problems;
  }
}
