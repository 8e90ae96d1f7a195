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
 * Only the server knows whether two conditions are the same, and tells so by an alteration, which
 * locks. So the words that it had for them when the task began are kept.
 */
/** Which rows a publication sent of each table when the task began to read it. Threadsafe. */
public final class PublishedRows {
  private final Map<TableId, Optional<String>> begun = new ConcurrentHashMap<>();

  /** As they are now, they are right. */
  void begin(Connection connection, String publication) throws SQLException {
    for (PublicationShape.Entry entry : PublicationShape.entries(connection, publication)) {
      begun.put(entry.table(), Optional.ofNullable(entry.filter()));
    }
  }

  /**
   * What of the selected tables is left out that came before. Of a table that is met for the first
   * time, its filter is taken for right where a rule has one.
   *
   * @param selected decides by the name of the root
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
