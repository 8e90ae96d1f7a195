package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.capture.statement.NotFollowed;
import dev.sluice.connector.mariadb.capture.statement.Renaming;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The names of the captured tables, and how statements may write them. Owned by the thread that
 * decodes the log.
 */
final class CapturedNames {
  private final Map<String, TableId> names;
  private final boolean anyCase;

  /** For renamed tables, the name at the start. */
  private final Map<TableId, TableId> first = new HashMap<>();

  /**
   * @param anyCase whether a statement may name a table in another case
   */
  CapturedNames(boolean anyCase) {
    this.names = new TreeMap<>(anyCase ? String.CASE_INSENSITIVE_ORDER : null);
    this.anyCase = anyCase;
  }

  void add(TableId table) {
    names.put(table.quoted(), table);
  }

  void remove(TableId table) {
    names.remove(table.quoted());
  }

  /** Notes that a table was renamed; both names are known afterwards. */
  void renamed(Renaming renaming) {
    add(renaming.to());
    first.put(renaming.to(), first(renaming.from()));
  }

  /** The captured table that a statement names. */
  Optional<TableId> captured(TableId name) {
    return Optional.ofNullable(names.get(name.quoted()));
  }

  /** The name that a table had where the capture began, if known. */
  TableId first(TableId table) {
    return first.getOrDefault(table, table);
  }

  /**
   * The exact name that a statement gives to a table.
   *
   * @throws NotFollowed if the server may fold its case
   */
  TableId exact(TableId name) throws NotFollowed {
    Optional<TableId> captured = captured(name);
    if (captured.isEmpty() && anyCase && !name.equals(inLowerCase(name))) {
      throw new NotFollowed("the server may write the name %s in lower case".formatted(name));
    }
    return captured.orElse(name);
  }

  /** The name under which a server keeps a table that no other one is captured as. */
  TableId stored(TableId name) {
    return anyCase ? inLowerCase(name) : name;
  }

  private static TableId inLowerCase(TableId name) {
    return new TableId(
        name.schema().toLowerCase(Locale.ROOT), name.name().toLowerCase(Locale.ROOT));
  }
}
