package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.type.DeclaredColumn;
import dev.sluice.connector.mariadb.type.PostgresType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The type of a column as a statement writes it. Immutable.
 *
 * @param dataType its name in the catalog, such as {@code int} for INTEGER
 * @param numbers in the brackets: length, or precision and scale
 * @param labels of an ENUM or SET, in their order
 */
record TypeText(String dataType, List<Integer> numbers, List<String> labels, boolean unsigned) {
  private static final Map<String, String> SYNONYMS =
      Map.of(
          "INTEGER", "int",
          "BOOL", "tinyint",
          "BOOLEAN", "tinyint",
          "DEC", "decimal",
          "NUMERIC", "decimal",
          "FIXED", "decimal");

  private static final Set<String> INTEGERS =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint");

  private static final Set<String> OTHER_NUMBERS = Set.of("decimal", "float", "double");

  private static final Set<String> WITHOUT_ARGUMENTS =
      Set.of(
          "float",
          "double",
          "date",
          "tinytext",
          "text",
          "mediumtext",
          "longtext",
          "json",
          "tinyblob",
          "blob",
          "mediumblob",
          "longblob",
          "uuid",
          "inet4",
          "inet6",
          "year");

  private static final Set<String> TIMES = Set.of("time", "datetime", "timestamp");

  private static final Set<String> TEXTS =
      Set.of("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set");

  /** The most characters of four bytes that a VARCHAR surely has room for. */
  private static final int LONGEST = 16_000;

  TypeText {
    numbers = List.copyOf(numbers);
    labels = List.copyOf(labels);
  }

  /** Whether the values of a type are texts. */
  static boolean isText(String dataType) {
    return TEXTS.contains(dataType);
  }

  /** Whether the values of a type are whole numbers. */
  static boolean isInteger(String dataType) {
    return INTEGERS.contains(dataType);
  }

  /**
   * Reads a type up to UNSIGNED and the like.
   *
   * @throws NotFollowed if what is in the brackets cannot be read
   */
  static TypeText read(SqlWords words) throws NotFollowed {
    String written = words.next();
    String dataType = SYNONYMS.getOrDefault(written, written.toLowerCase(Locale.ROOT));
    words.skip(1);
    if (dataType.equals("double")) {
      words.accept("PRECISION");
    }
    List<Integer> numbers = new ArrayList<>();
    List<String> labels = new ArrayList<>();
    boolean labelled = dataType.equals("enum") || dataType.equals("set");
    if (words.accept("(")) {
      do {
        Optional<String> argument = labelled ? words.text() : words.number();
        String found = argument.orElseThrow(TypeText::unreadable);
        if (labelled) {
          labels.add(found);
        } else if (found.matches("\\d{1,9}")) {
          numbers.add(Integer.parseInt(found));
        } else {
          throw unreadable();
        }
      } while (words.accept(","));
      if (!words.accept(")")) {
        throw unreadable();
      }
    }
    boolean isNumber = isInteger(dataType) || OTHER_NUMBERS.contains(dataType);
    return new TypeText(dataType, numbers, labels, isNumber && isUnsigned(words));
  }

  private static NotFollowed unreadable() {
    return new NotFollowed("a type's length cannot be read");
  }

  private static boolean isUnsigned(SqlWords words) {
    boolean unsigned = false;
    while (true) {
      if (words.accept("UNSIGNED") || words.accept("ZEROFILL")) {
        unsigned = true;
      } else if (!words.accept("SIGNED")) {
        return unsigned;
      }
    }
  }

  /**
   * A column of this type.
   *
   * @throws NotFollowed if the type, or its counterpart in PostgreSQL, is not known
   */
  DeclaredColumn of(TableId table, String column) throws NotFollowed {
    int count = numbers.size();
    int first = count > 0 ? numbers.get(0) : -1;
    int second = count > 1 ? numbers.get(1) : 0;
    int length = 0;
    int precision = 0;
    int scale = 0;
    int fraction = 0;
    boolean known;
    if (INTEGERS.contains(dataType)) {
      known = count <= 1;
    } else if (WITHOUT_ARGUMENTS.contains(dataType)) {
      known = count == 0 || dataType.equals("year") && first == 4;
    } else if (TIMES.contains(dataType)) {
      fraction = Math.max(0, first);
      known = count <= 1 && fraction <= 6;
    } else {
      switch (dataType) {
        case "decimal" -> {
          precision = first < 0 ? 10 : first;
          scale = second;
          known = count <= 2 && precision > 0;
        }
        case "bit" -> {
          precision = first < 0 ? 1 : first;
          known = count <= 1 && precision > 0;
        }
        case "char", "binary" -> {
          length = first < 0 ? 1 : first;
          known = count <= 1;
        }
        case "varchar", "varbinary" -> {
          length = first;
          known = count == 1 && first <= LONGEST;
        }
        case "enum", "set" -> known = !labels.isEmpty();
        default -> known = false;
      }
    }
    String type = dataType + (unsigned ? " unsigned" : "");
    DeclaredColumn declared =
        new DeclaredColumn(table, column, dataType, type, length, precision, scale, fraction);
    if (!known || PostgresType.problem(declared).isPresent()) {
      throw new NotFollowed("the type of column " + column + " is not known here");
    }
    return declared;
  }
}
