package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.type.DeclaredColumn;
import dev.sluice.connector.mariadb.type.PostgresType;
import java.util.List;
import java.util.Optional;

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

  ColumnText {
    labels = List.copyOf(labels);
  }

  String name() {
    return declared.name();
  }

  String dataType() {
    return declared.dataType();
  }

  /** Whether the type's values are texts. */
  boolean isText() {
    return TypeText.isText(dataType());
  }

  /** Whether the type's values are whole numbers. */
  boolean isInteger() {
    return TypeText.isInteger(dataType());
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
      TypeText type = TypeText.read(words);
      while (!words.isAtEnd()) {
        property(name);
      }
      if (isNull && notNull) {
        throw unknown(name);
      }
      return new ColumnText(type.of(table, name), type.labels(), isNull, notNull, byDefault);
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
}
