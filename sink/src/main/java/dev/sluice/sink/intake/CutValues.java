package dev.sluice.sink.intake;

import dev.sluice.config.TableId;
import dev.sluice.config.transformation.LobLimits;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.connector.api.ValueCursor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cuts large values of changes as the full load does: it keeps the same characters of a text and
 * bytes of a bytea. The journal itself has the complete values. Threadsafe.
 */
public final class CutValues implements SchemaLookup {
  private static final String BYTES = "bytea";

  /** PostgreSQL writes a bytea as \x and two hexadecimal digits for each byte. */
  private static final int HEX_PREFIX = 2;

  private final SchemaLookup journal;
  private final LobLimits limits;
  private final CutCounts counts;
  private final Map<RowSchema, Optional<Cut>> known = new ConcurrentHashMap<>();

  /**
   * @param counts counts each value that is cut
   */
  public CutValues(SchemaLookup journal, LobLimits limits, CutCounts counts) {
    this.journal = journal;
    this.limits = limits;
    this.counts = counts;
  }

  @Override
  public RowSchema schema(long fingerprint) {
    return journal.schema(fingerprint);
  }

  @Override
  public ChangeEvent mapped(ChangeEvent decoded) {
    return decoded instanceof RowChange change
        ? known
            .computeIfAbsent(change.schema(), this::cutOf)
            .map(cut -> cut(change, cut))
            .orElse(change)
        : decoded;
  }

  private Optional<Cut> cutOf(RowSchema schema) {
    long limit = limits.of(schema.table());
    List<Column> columns = schema.columns();
    boolean[] cut = new boolean[columns.size()];
    boolean any = false;
    for (int i = 0; i < cut.length; i++) {
      cut[i] = limit > 0 && !columns.get(i).key() && LobLimits.isCut(columns.get(i).type());
      any |= cut[i];
    }
    return any ? Optional.of(new Cut(columns, cut, limit)) : Optional.empty();
  }

  private RowChange cut(RowChange change, Cut cut) {
    RowSchema schema = change.schema();
    // A row without a key is found by all its values on the target, which are cut as well.
    Row match =
        change.match() == null || schema.hasKey()
            ? change.match()
            : cut(change.match(), cut, Optional.empty());
    Row row = change.row() == null ? null : cut(change.row(), cut, Optional.of(schema.table()));
    Row before = change.before() == null ? null : cut(change.before(), cut, Optional.empty());
    return new RowChange(schema, match, row, before);
  }

  private Row cut(Row row, Cut cut, Optional<TableId> counted) {
    if (row.encodedBytes() <= cut.limit()) {
      return row;
    }
    RowBuilder shorter = new RowBuilder(row.encodedBytes());
    int values = 0;
    ValueCursor value = row.cursor();
    for (int i = 0; value.next(); i++) {
      int kept = cut.applies()[i] && value.hasBytes() ? cut.kept(value, i) : value.length();
      if (kept < value.length()) {
        shorter.add(value.buffer(), value.offset(), kept);
        values++;
      } else {
        shorter.add(value);
      }
    }
    if (values == 0) {
      return row;
    }
    int found = values;
    counted.ifPresent(table -> counts.add(table, found));
    return shorter.build();
  }

  /**
   * How the rows of one schema are cut.
   *
   * @param applies by column, true if its values are cut
   */
  private record Cut(List<Column> columns, boolean[] applies, long limit) {

    /** How many bytes of a value's text are kept. */
    int kept(ValueCursor value, int column) {
      if (columns.get(column).type().equals(BYTES)) {
        return (int) Math.min(value.length(), HEX_PREFIX + 2 * limit);
      }
      return value.length() <= limit ? value.length() : charactersEnd(value);
    }

    /**
     * The end of the kept characters. In UTF-8 every byte except a continuation byte begins a
     * character.
     */
    private int charactersEnd(ValueCursor value) {
      byte[] buffer = value.buffer();
      long characters = 0;
      for (int i = 0; i < value.length(); i++) {
        boolean begins = (buffer[value.offset() + i] & 0xC0) != 0x80;
        if (begins && ++characters > limit) {
          return i;
        }
      }
      return value.length();
    }
  }
}
