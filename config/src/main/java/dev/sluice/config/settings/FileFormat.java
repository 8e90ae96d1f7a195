package dev.sluice.config.settings;

import dev.sluice.config.document.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The format of a data file: one of the two text formats of PostgreSQL's COPY. Immutable.
 *
 * @param delimiter between two values
 * @param quote around a CSV value that has a delimiter or a line break; unused for text
 * @param escape before a quote inside a quoted CSV value; unused for text
 * @param header whether the first record has the names of the columns
 * @param nullText the text that means NULL
 * @param encoding PostgreSQL's name of it, such as UTF8
 */
public record FileFormat(
    Kind kind,
    char delimiter,
    char quote,
    char escape,
    boolean header,
    String nullText,
    String encoding) {

  /** The syntax of a record. */
  public enum Kind {
    /** Values between delimiters, in quotes if needed. */
    CSV,
    /** PostgreSQL's text format: backslash escapes, no quotes, {@code \.} at the end. */
    TEXT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** PostgreSQL refuses these delimiters in its text format: they may follow a backslash. */
  private static final String NO_DELIMITERS_OF_TEXT = "\\.abcdefghijklmnopqrstuvwxyz0123456789";

  /** COPY's defaults for CSV. */
  public static final FileFormat CSV = new FileFormat(Kind.CSV, ',', '"', '"', false, "", "UTF8");

  /** COPY's defaults for text. */
  public static final FileFormat TEXT =
      new FileFormat(Kind.TEXT, '\t', '"', '"', false, "\\N", "UTF8");

  /**
   * Why COPY cannot read a file of this format; empty if it can.
   *
   * @param thing the setting or file that the problems name
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
                "NullString contains the quote " + shown(quote),
                "a text without quotes: a quoted value is never NULL",
                "Change NullString"));
      }
    } else if (NO_DELIMITERS_OF_TEXT.indexOf(delimiter) >= 0) {
      problems.add(
          new Problem(
              thing,
              "Delimiter is " + shown(delimiter),
              "none of the characters that may follow a backslash in PostgreSQL's text format",
              "Choose another one; the default is a tab"));
    }
    if (nullText.indexOf(delimiter) >= 0
        || nullText.indexOf('\n') >= 0
        || nullText.indexOf('\r') >= 0) {
      problems.add(
          new Problem(
              thing,
              "NullString contains the delimiter or a line break",
              "a text that can be a whole value",
              "Change NullString"));
    }
    return problems;
  }

  private static void character(List<Problem> problems, String thing, String name, char found) {
    if (found > 127 || found == '\n' || found == '\r' || found == 0) {
      problems.add(
          new Problem(
              thing,
              name + " is " + shown(found),
              "one ASCII character, no line break",
              "Choose another one"));
    }
  }

  private static String shown(char character) {
    return character < ' ' ? "the control character " + (int) character : "'" + character + "'";
  }

  /** The options of a COPY that reads the file's records, without its header. */
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
