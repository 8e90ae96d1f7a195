package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A COPY of a table's rows in the order of their key's text, byte by byte, NULL last. The first
 * fields of each line are the key. Immutable.
 *
 * @param withPartitions whether rows of its partitions or children are included
 * @param key columns; ordered by their text
 * @param others further columns
 * @param filter of the rows; empty: all
 */
public record OrderedCopy(
    TableId table,
    boolean withPartitions,
    List<String> key,
    List<String> others,
    LobCut cut,
    Optional<RowFilter> filter) {

  public OrderedCopy {
    key = List.copyOf(key);
    others = List.copyOf(others);
  }

  /** The statement. */
  public String sql() {
    List<String> keyTexts = key.stream().map(column -> selected(column) + "::text").toList();
    Stream<String> values = Stream.concat(keyTexts.stream(), others.stream().map(this::selected));
    String selected = values.collect(Collectors.joining(", "));
    // The databases' own collations may order the same text differently.
    String order =
        keyTexts.stream()
            .map(text -> text + " COLLATE pg_catalog.\"C\"")
            .collect(Collectors.joining(", "));
    return "COPY (SELECT "
        + selected
        + " FROM "
        + (withPartitions ? "" : "ONLY ")
        + table.quoted()
        + " r"
        + filter.map(rows -> " WHERE " + rows.condition()).orElse("")
        + (order.isEmpty() ? "" : " ORDER BY " + order)
        + ") TO STDOUT";
  }

  private String selected(String column) {
    return cut.selected(column, "r." + TableId.quote(column));
  }
}
