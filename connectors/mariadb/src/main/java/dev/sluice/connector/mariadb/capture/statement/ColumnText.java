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
 * A column as a statement declares it. Only what is certain is read; everything else is not
 * followed. Immutable.
 *
 * @param labels of an ENUM or SET, in their order
 * @param isNull whether NULL is written
 * @param notNull whether NOT NULL is written
 */
record ColumnText(
    DeclaredColumn declared,
    List<String> labels,
    boolean isNull,
    boolean notNull,
    Default byDefault) {

  /** What a row gets that has no value. */
  sealed interface Default {
    /** No default is written. */
    record None() implements Default {}

    /**
     * A constant.
     *
     * @param text null for NULL
     */
    record Constant(String text, boolean quoted) implements Default {}

    /** The time at which the statement began. */
    record Now(int fraction) implements Default {}
  }

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

  ColumnText {
    labels = List.copyOf(labels);
  }

  String name() {
    return declared.name();
  }

  String dataType() {
    return declared.dataType();
  }

  /** The type of PostgreSQL. */
  String mappedType() {
    return PostgresType.of(declared);
  }

  /**
   * Reads a definition from the column's name to the end of the words.
   *
   * @throws NotFollowed if anything in it is not certain
   */
  static ColumnText read(TableId table, SqlWords words) throws NotFollowed {
    return new Reading(table, words).read();
  }

  /** Reads one definition. */
  private static final class Reading {
    private final TableId table;
    private final SqlWords words;
    private final List<String> labels = new ArrayList<>();
    private final List<Integer> arguments = new ArrayList<>();
    private boolean isNull;
    private boolean notNull;
    private Default byDefault = new Default.None();

    Reading(TableId table, SqlWords words) {
      this.table = table;
      this.words = words;
    }

    ColumnText read() throws NotFollowed {
      String name =
          words.name().orElseThrow(() -> new NotFollowed("a column's name cannot be read"));
      String type = words.next();
      String dataType = SYNONYMS.getOrDefault(type, type.toLowerCase(Locale.ROOT));
      words.skip(1);
      if (dataType.equals("double")) {
        words.accept("PRECISION");
      }
      arguments(dataType);
      String attributes = attributes(dataType);
      while (!words.isAtEnd()) {
        property(name);
      }
      if (isNull && notNull) {
        throw unknown(name);
      }
      DeclaredColumn declared = declared(name, dataType, attributes);
      if (PostgresType.problem(declared).isPresent()) {
        throw new NotFollowed("the type of column " + name + " is not known here");
      }
      return new ColumnText(declared, labels, isNull, notNull, byDefault);
    }

    private void arguments(String dataType) throws NotFollowed {
      if (!words.accept("(")) {
        return;
      }
      boolean labelled = dataType.equals("enum") || dataType.equals("set");
      do {
        Optional<String> argument = labelled ? words.text() : words.number();
        String found =
            argument.orElseThrow(() -> new NotFollowed("a type's length cannot be read"));
        if (labelled) {
          labels.add(found);
        } else if (found.matches("\\d{1,9}")) {
          arguments.add(Integer.parseInt(found));
        } else {
          throw new NotFollowed("a type's length cannot be read");
        }
      } while (words.accept(","));
      if (!words.accept(")")) {
        throw new NotFollowed("a type's length cannot be read");
      }
    }

    private String attributes(String dataType) {
      boolean number =
          INTEGERS.contains(dataType) || Set.of("decimal", "float", "double").contains(dataType);
      String attributes = "";
      while (number) {
        if (words.accept("UNSIGNED") || words.accept("ZEROFILL")) {
          attributes = " unsigned";
        } else if (!words.accept("SIGNED")) {
          break;
        }
      }
      return attributes;
    }

    private DeclaredColumn declared(String name, String dataType, String attributes)
        throws NotFollowed {
      int count = arguments.size();
      int first = count > 0 ? arguments.get(0) : -1;
      int second = count > 1 ? arguments.get(1) : 0;
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
      if (!known) {
        throw new NotFollowed("the type of column " + name + " is not known here");
      }
      return new DeclaredColumn(
          table, name, dataType, dataType + attributes, length, precision, scale, fraction);
    }

    /** Reads one property behind the type. */
    private void property(String name) throws NotFollowed {
      if (words.accept("NOT", "NULL")) {
        notNull = true;
      } else if (words.accept("NULL")) {
        isNull = true;
      } else if (words.accept("DEFAULT")) {
        byDefault = constant(name);
      } else if (words.accept("COMMENT")) {
        words.text().orElseThrow(() -> unknown(name));
      } else if (words.accept("ON", "UPDATE")) {
        now().orElseThrow(() -> unknown(name));
      } else if (words.accept("COLLATE")
          || words.accept("CHARSET")
          || words.accept("CHARACTER", "SET")) {
        String set = words.name().orElseThrow(() -> unknown(name));
        if (set.equalsIgnoreCase("binary")) {
          throw unknown(name);
        }
      } else if (words.accept("FIRST")) {
        requireEnd(name);
      } else if (words.accept("AFTER")) {
        words.name().orElseThrow(() -> unknown(name));
        requireEnd(name);
      } else {
        throw unknown(name);
      }
    }

    private void requireEnd(String name) throws NotFollowed {
      if (!words.isAtEnd()) {
        throw unknown(name);
      }
    }

    private NotFollowed unknown(String name) {
      return new NotFollowed(
          "the definition of column %s has more than a type, NULL, a constant default and a comment"
              .formatted(name));
    }

    private Default constant(String name) throws NotFollowed {
      if (words.accept("NULL")) {
        return new Default.Constant(null, false);
      }
      if (words.accept("TRUE")) {
        return new Default.Constant("1", false);
      }
      if (words.accept("FALSE")) {
        return new Default.Constant("0", false);
      }
      Optional<Integer> now = now();
      if (now.isPresent()) {
        return new Default.Now(now.get());
      }
      Optional<String> text = words.text();
      return text.isPresent()
          ? new Default.Constant(text.get(), true)
          : new Default.Constant(words.number().orElseThrow(() -> unknown(name)), false);
    }

    /** The digits of a second of the present time, if that comes next. */
    private Optional<Integer> now() {
      if (!words.accept("CURRENT_TIMESTAMP")) {
        return Optional.empty();
      }
      if (!words.accept("(")) {
        return Optional.of(0);
      }
      int digits = words.next().matches("[0-6]") ? Integer.parseInt(words.next()) : 0;
      if (!words.next().equals(")")) {
        words.skip(1);
      }
      return words.accept(")") ? Optional.of(digits) : Optional.empty();
    }
  }

  /** Whether the type's values are texts. */
  boolean isText() {
    return TEXTS.contains(dataType());
  }

  /** Whether the type's values are whole numbers. */
  boolean isInteger() {
    return INTEGERS.contains(dataType());
  }
}
