package dev.sluice.config.settings;

import dev.sluice.config.document.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How rows are written in a data file: one of the two text formats of PostgreSQL's COPY. Immutable.
 *
 * @param delimiter what stands between two values
 * @param quote what a CSV value that holds a delimiter or a line break stands in; unused for text
 * @param escape what makes a quote in a quoted value one of its characters; unused for text
 * @param header whether the first record has the columns' names
 * @param nullText what stands for NULL
 * @param encoding as PostgreSQL calls it, such as UTF8
 */
public record FileFormat(
    Kind kind,
    char delimiter,
    char quote,
    char escape,
    boolean header,
    String nullText,
    String encoding) {

  /** The shape of a record. */
  public enum Kind {
    /** Values between delimiters, in quotes where they need it. */
    CSV,
    /** PostgreSQL's own: backslash escapes, no quotes, {@code \.} at the end. */
    TEXT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** PostgreSQL refuses these as delimiters of text, where they may follow a backslash. */
  private static final String NO_DELIMITERS_OF_TEXT = "\\.abcdefghijklmnopqrstuvwxyz0123456789";

  /** As COPY reads CSV when nothing is said. */
  public static final FileFormat CSV = new FileFormat(Kind.CSV, ',', '"', '"', false, "", "UTF8");

  /** As COPY reads text when nothing is said. */
  public static final FileFormat TEXT =
      new FileFormat(Kind.TEXT, '\t', '"', '"', false, "\\N", "UTF8");

  /**
   * What keeps COPY from reading such a file; empty where nothing does.
   *
   * @param thing what the problems are about
   */
  public List<Problem> problems(String thing) {
    List<Problem> problems = new ArrayList<>();
    character(problems, thing, "Delimiter", delimiter);
    if (kind == Kind.CSV) {
      character(problems, thing, "Quote", quote);
      character(problems, thing, "Escape", escape);
      if (delimiter == quote) {
        problems.add(
            new Problem(
                thing,
                "Delimiter and Quote are both " + shown(quote),
                "two different characters",
                "Change one of them"));
      }
      if (nullText.indexOf(quote) >= 0) {
        problems.add(
            new Problem(
                thing,
                "NullString has the quote " + shown(quote) + " in it",
                "a text without quotes: what stands in quotes is never NULL",
                "Change NullString"));
      }
    } else if (NO_DELIMITERS_OF_TEXT.indexOf(delimiter) >= 0) {
      problems.add(
          new Problem(
              thing,
              "Delimiter is " + shown(delimiter),
              "none of the characters that may follow a backslash in PostgreSQL's text format",
              "Choose another one; the format's own is a tab"));
    }
    if (nullText.indexOf(delimiter) >= 0
        || nullText.indexOf('\n') >= 0
        || nullText.indexOf('\r') >= 0) {
      problems.add(
          new Problem(
              thing,
              "NullString has the delimiter or a line break in it",
              "a text that can be a whole value",
              "Change NullString"));
    }
    return problems;
  }

  private static void character(List<Problem> problems, String thing, String name, char met) {
    if (met > 127 || met == '\n' || met == '\r' || met == 0) {
      problems.add(
          new Problem(
              thing,
              name + " is " + shown(met),
              "one character of ASCII, no line break",
              "Choose another one"));
    }
  }

  private static String shown(char character) {
    return character < ' ' ? "the control character " + (int) character : "'" + character + "'";
  }

  /** The options of a COPY that reads records of such a file, without its header. */
  public String copyOptions() {
    StringBuilder options =
        new StringBuilder("(FORMAT ")
            .append(kind)
            .append(", DELIMITER ")
            .append(literal(String.valueOf(delimiter)))
            .append(", NULL ")
            .append(literal(nullText));
    if (kind == Kind.CSV) {
      options
          .append(", QUOTE ")
          .append(literal(String.valueOf(quote)))
          .append(", ESCAPE ")
          .append(literal(String.valueOf(escape)));
    }
    return options.append(", ENCODING ").append(literal(encoding)).append(')').toString();
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
