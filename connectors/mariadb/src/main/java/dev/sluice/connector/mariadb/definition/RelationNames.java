package dev.sluice.connector.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbIndex;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The names of indexes and sequences on the target. On MariaDB they are unique in their table, on
 * PostgreSQL in their schema, together with the tables' names. So a name begins with the table's
 * name, and one that would occur twice, or is taken on the target, gets a number. Immutable.
 */
final class RelationNames {
  private final Map<TableId, Integer> wanted = new HashMap<>();
  private final Set<TableId> taken;

  /**
   * @param tables all tables of the database: a name does not depend on which of them are created
   * @param others names on the target of relations that belong to no table
   * @param request has the tables' names on the target, and the names that are taken there: a
   *     renamed table keeps the names of its indexes and sequences
   */
  RelationNames(List<MariadbTable> tables, Collection<TableId> others, DefinitionRequest request) {
    taken = request.taken();
    others.forEach(this::want);
    for (MariadbTable table : tables) {
      TableId target = request.targetOf().apply(table.table());
      want(target);
      table.indexes().forEach(index -> want(new Relation(target, index).plain()));
      table.columns().stream()
          .filter(MariadbColumn::isAutoIncrement)
          .forEach(column -> want(new Relation(target, column).plain()));
    }
  }

  private void want(TableId name) {
    wanted.merge(name, 1, Integer::sum);
  }

  /** The name of an index of the table that has this name on the target. */
  TableId index(TableId target, MariadbIndex index) {
    return unique(new Relation(target, index));
  }

  /** The name of the sequence of an auto_increment column. */
  TableId sequence(TableId target, MariadbColumn column) {
    return unique(new Relation(target, column));
  }

  private TableId unique(Relation relation) {
    TableId name = relation.plain();
    if (wanted.getOrDefault(name, 0) > 1) {
      name = relation.numbered(0);
    }
    for (int more = 1; taken.contains(name); more++) {
      name = relation.numbered(more);
    }
    return name;
  }

  /**
   * An index or a sequence.
   *
   * @param table on the target
   * @param wish its name without the table's
   * @param identity distinguishes it from all others of its table
   */
  private record Relation(TableId table, String wish, String identity) {
    Relation(TableId table, MariadbIndex index) {
      this(table, index.isPrimary() ? "pkey" : index.name(), "index " + index.name());
    }

    Relation(TableId table, MariadbColumn column) {
      this(table, column.name() + "_seq", "column " + column.name());
    }

    private String begin() {
      return table.name() + "_" + wish;
    }

    /** The name without a number; only one that is too long is cut and numbered. */
    TableId plain() {
      return bytes(begin()) <= TableId.LONGEST_NAME
          ? new TableId(table.schema(), begin())
          : numbered(0);
    }

    /**
     * @param more another number for each
     */
    TableId numbered(int more) {
      // Separated by a character that occurs in no name.
      String whole = table.name() + '\0' + identity + (more == 0 ? "" : "\0" + more);
      String number = "_" + Integer.toHexString(whole.hashCode());
      String begin = begin();
      while (bytes(begin + number) > TableId.LONGEST_NAME) {
        begin = begin.substring(0, begin.offsetByCodePoints(begin.length(), -1));
      }
      return new TableId(table.schema(), begin + number);
    }

    private static int bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8).length;
    }
  }
}
