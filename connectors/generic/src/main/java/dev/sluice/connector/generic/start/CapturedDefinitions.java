package dev.sluice.connector.generic.start;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.database.DatabaseFacts;
import dev.sluice.connector.generic.database.DefinitionText;
import dev.sluice.connector.journal.SourceNotes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The definitions with which an attempt's snapshot began. They are beside the journal as long as
 * the task lives, since a table may change while no capture runs, and nothing else would show it.
 * Immutable.
 */
public record CapturedDefinitions(Map<TableId, DefinitionText> tables) {
  public CapturedDefinitions {
    tables = Map.copyOf(tables);
  }

  /**
   * Those of the tables as they are now.
   *
   * @throws SluiceException.Overtaken if one of them is gone
   */
  public static CapturedDefinitions now(JdbcServer server, Collection<TableId> tables) {
    Map<TableId, DefinitionText> found = read(server, tables);
    List<TableId> gone = new ArrayList<>(tables);
    gone.removeAll(found.keySet());
    if (!gone.isEmpty()) {
      throw new SluiceException.Overtaken(
          "tables that were selected do not exist any more, or are not published: " + gone, null);
    }
    return new CapturedDefinitions(found);
  }

  /**
   * Those with which an attempt began, each of the newest term that stored it: an earlier daemon
   * that wakes up may still store its own, and a term that was killed may have stored some of them.
   */
  static CapturedDefinitions stored(SourceNotes notes, Position attempt) {
    Map<TableId, Long> terms = new HashMap<>();
    Map<TableId, DefinitionText> found = new LinkedHashMap<>();
    notes
        .read(name(attempt))
        .forEach(
            (name, text) -> {
              long term = Long.parseLong(name.split(" ", 2)[0]);
              String[] parts = text.split("\n", 3);
              TableId table = new TableId(parts[0], parts[1]);
              if (term >= terms.getOrDefault(table, 0L)) {
                terms.put(table, term);
                found.put(table, DefinitionText.parse(parts[2]));
              }
            });
    return new CapturedDefinitions(found);
  }

  void store(SourceNotes notes, Position attempt, long term) {
    Map<String, String> texts = new TreeMap<>();
    tables.forEach(
        (table, definition) ->
            texts.put(
                term + " " + table,
                table.schema() + "\n" + table.name() + "\n" + definition.text()));
    notes.write(name(attempt), texts);
  }

  private static String name(Position attempt) {
    return "table " + AttemptPosition.beginningOf(attempt).high() + " ";
  }

  /** These, and those of other tables. */
  CapturedDefinitions and(CapturedDefinitions others) {
    Map<TableId, DefinitionText> both = new LinkedHashMap<>(tables);
    both.putAll(others.tables);
    return new CapturedDefinitions(both);
  }

  /** Those of some tables. */
  public CapturedDefinitions of(Collection<TableId> some) {
    Map<TableId, DefinitionText> found = new LinkedHashMap<>(tables);
    found.keySet().retainAll(some);
    return new CapturedDefinitions(found);
  }

  /** A problem for each table that is another one now. */
  public List<Problem> changed(JdbcServer server) {
    Map<TableId, DefinitionText> now = read(server, tables.keySet());
    List<Problem> problems = new ArrayList<>();
    new TreeMap<>(tables)
        .forEach(
            (table, definition) ->
                definition
                    .changed(table, Optional.ofNullable(now.get(table)))
                    .ifPresent(problems::add));
    return problems;
  }

  private static Map<TableId, DefinitionText> read(JdbcServer server, Collection<TableId> tables) {
    return server.ask(
        "read the definitions",
        session -> DatabaseFacts.of(server.config()).definitions(session, tables));
  }
}
