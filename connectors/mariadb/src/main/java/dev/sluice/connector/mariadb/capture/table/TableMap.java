package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.stream.LogBytes;
import dev.sluice.connector.mariadb.server.EqualAgain;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.type.LogType;
import dev.sluice.connector.mariadb.type.LoggedColumn;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/*
 * The body of a TABLE_MAP event:
 *
 *   table number 6 | flags 2 | length 1, database, 0 | length 1, table, 0
 *   n packed | n × type 1 | packed length, what each type has beside it | n bits: nullable
 *   then fields: code 1 | packed length | content
 *
 * The fields exist with binlog_row_metadata=FULL. Each list has one entry for each column that it
 * concerns, in the columns' order.
 */
/**
 * A table as the binary log describes it before changes of it. Immutable.
 *
 * @param columns all columns of the log's rows, also those that the server computes
 * @param key the names of the primary key's columns
 * @param nullable the names of the columns that may be NULL
 */
record TableMap(TableId table, List<LoggedColumn> columns, Set<String> key, Set<String> nullable) {
  private static final int SIGNS = 1;
  private static final int DEFAULT_COLLATION = 2;
  private static final int COLLATIONS = 3;
  private static final int NAMES = 4;
  private static final int SET_LABELS = 5;
  private static final int ENUM_LABELS = 6;
  private static final int KEY = 8;
  private static final int KEY_WITH_PREFIXES = 9;
  private static final int LABELS_DEFAULT_COLLATION = 10;
  private static final int LABELS_COLLATIONS = 11;

  TableMap {
    columns = List.copyOf(columns);
    key = Set.copyOf(key);
    nullable = Set.copyOf(nullable);
  }

  /** The name of the table that an event's body is about. */
  static TableId nameOf(LogBytes body) {
    int start = body.at();
    body.skip(8);
    TableId table = name(body);
    body.goTo(start);
    return table;
  }

  private static TableId name(LogBytes body) {
    String database = body.text(body.next());
    body.skip(1);
    String name = body.text(body.next());
    body.skip(1);
    return new TableId(database, name);
  }

  /**
   * Reads an event's body.
   *
   * @throws SluiceException.Fatal if the log has no full metadata, or a type is unknown
   */
  static TableMap read(LogBytes body, Flavour flavour) {
    body.skip(8);
    return new Reading(name(body), body, flavour).read();
  }

  /** Reads the body of one event. */
  private static final class Reading {
    private final TableId table;
    private final LogBytes body;
    private final Flavour flavour;
    private final LogType[] types;
    private final int[] metadata;
    private final boolean[] unsigned;
    private final int[] collations;
    private final List<List<byte[]>> labels = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final Set<Integer> key = new HashSet<>();

    Reading(TableId table, LogBytes body, Flavour flavour) {
      this.flavour = flavour;
      this.table = table;
      this.body = body;
      int count = body.packed();
      this.types = new LogType[count];
      this.metadata = new int[count];
      this.unsigned = new boolean[count];
      this.collations = new int[count];
    }

    TableMap read() {
      byte[] codes = body.take(types.length);
      LogBytes beside = body.part(body.packed());
      for (int i = 0; i < types.length; i++) {
        int number = i + 1;
        int code = codes[i] & 0xFF;
        LogType type = LogType.of(code).orElseThrow(() -> unknownType(number, code));
        metadata[i] = (int) beside.number(type.metadataBytes());
        types[i] = type.real(metadata[i]);
        labels.add(List.of());
      }
      byte[] nullable = body.take((types.length + 7) / 8);
      while (body.hasMore()) {
        int code = body.next();
        field(code, body.part(body.packed()));
      }
      if (names.size() != types.length) {
        throw withoutMetadata();
      }
      List<LoggedColumn> columns = new ArrayList<>();
      for (int i = 0; i < types.length; i++) {
        columns.add(
            new LoggedColumn(
                names.get(i), types[i], metadata[i], unsigned[i], collations[i], labels.get(i)));
      }
      Set<String> keyNames = new HashSet<>();
      key.forEach(column -> keyNames.add(names.get(column)));
      Set<String> nullableNames = new HashSet<>();
      for (int i = 0; i < types.length; i++) {
        if ((nullable[i / 8] >> i % 8 & 1) != 0) {
          nullableNames.add(names.get(i));
        }
      }
      return new TableMap(table, columns, keyNames, nullableNames);
    }

    private void field(int code, LogBytes content) {
      switch (code) {
        case SIGNS -> signs(content);
        case DEFAULT_COLLATION -> defaultCollation(content, false);
        case COLLATIONS -> collations(content, false);
        case NAMES -> {
          while (content.hasMore()) {
            names.add(content.text(content.packed()));
          }
        }
        case SET_LABELS -> labels(content, LogType.SET);
        case ENUM_LABELS -> labels(content, LogType.ENUM);
        case KEY -> {
          while (content.hasMore()) {
            key.add(content.packed());
          }
        }
        case KEY_WITH_PREFIXES -> {
          while (content.hasMore()) {
            key.add(content.packed());
            content.packed();
          }
        }
        case LABELS_DEFAULT_COLLATION -> defaultCollation(content, true);
        case LABELS_COLLATIONS -> collations(content, true);
        default -> {
          // Not needed: types of geometries, visibility.
        }
      }
    }

    /** One bit for each number, the highest bit first. */
    private void signs(LogBytes content) {
      int bit = 0;
      int bits = 0;
      for (int i = 0; i < types.length; i++) {
        if (types[i].hasSign()) {
          if (bit == 0) {
            bits = content.next();
            bit = 0x80;
          }
          unsigned[i] = (bits & bit) != 0;
          bit >>= 1;
        }
      }
    }

    private boolean isAbout(int column, boolean ofLabels) {
      return ofLabels ? types[column].hasLabels() : types[column].hasCollation(flavour);
    }

    /**
     * A default collation, then pairs: the index of a column among those concerned, and its other
     * collation.
     */
    private void defaultCollation(LogBytes content, boolean ofLabels) {
      List<Integer> about = new ArrayList<>();
      int collation = content.packed();
      for (int i = 0; i < types.length; i++) {
        if (isAbout(i, ofLabels)) {
          about.add(i);
          collations[i] = collation;
        }
      }
      while (content.hasMore()) {
        int column = about.get(content.packed());
        collations[column] = content.packed();
      }
    }

    private void collations(LogBytes content, boolean ofLabels) {
      for (int i = 0; i < types.length; i++) {
        if (isAbout(i, ofLabels)) {
          collations[i] = content.packed();
        }
      }
    }

    private void labels(LogBytes content, LogType type) {
      for (int i = 0; i < types.length; i++) {
        if (types[i] == type) {
          List<byte[]> each = new ArrayList<>();
          for (int left = content.packed(); left > 0; left--) {
            each.add(content.take(content.packed()));
          }
          labels.set(i, each);
        }
      }
    }

    private SluiceException unknownType(int number, int code) {
      return new SluiceException.Fatal(
          new Problem(
              "table " + table + ", column number " + number,
              "the type " + code + " in the binary log",
              "a type that can be decoded",
              "Exclude the table"));
    }

    private SluiceException withoutMetadata() {
      return new SluiceException.Fatal(
          new Problem(
              "table " + table,
              "changes in the binary log without the names of their columns",
              "binlog_row_metadata=FULL",
              EqualAgain.byResyncAfter("Run SET GLOBAL binlog_row_metadata=FULL on the source")));
    }
  }
}
