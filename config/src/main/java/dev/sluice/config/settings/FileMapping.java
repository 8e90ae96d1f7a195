package dev.sluice.config.settings;

import dev.sluice.config.TableId;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Which table the rows of some files go into, as the task file says. Immutable.
 *
 * @param place where it is said, for messages
 * @param file a file name, or a pattern with {@code *}, {@code ?} and {@code [ab]}
 * @param columns the file's columns in their order; empty: as its header or the table has them
 * @param format what is said of the files' format; the rest is as the settings say
 */
public record FileMapping(
    String place, String file, TableId table, List<String> columns, FormatSettings format) {

  public FileMapping {
    columns = List.copyOf(columns);
  }

  /** Whether a file of this name, which has no folder, is meant. */
  public boolean matches(String name) {
    return FileSystems.getDefault().getPathMatcher("glob:" + file).matches(Path.of(name));
  }

  /**
   * What is said of a format; what is empty is not said. Immutable.
   *
   * @param delimiter a character, also written as {@code \t}
   */
  public record FormatSettings(
      Optional<FileFormat.Kind> kind,
      Optional<String> delimiter,
      Optional<String> quote,
      Optional<String> escape,
      Optional<Boolean> header,
      Optional<String> nullText,
      Optional<String> encoding) {

    public static final FormatSettings NOTHING =
        new FormatSettings(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    /** What is said here, and else there. */
    public FormatSettings or(FormatSettings other) {
      return new FormatSettings(
          kind.or(other::kind),
          delimiter.or(other::delimiter),
          quote.or(other::quote),
          escape.or(other::escape),
          header.or(other::header),
          nullText.or(other::nullText),
          encoding.or(other::encoding));
    }

    /**
     * The format; what is not said is as COPY has it.
     *
     * @param otherwise the kind where none is said
     */
    public FileFormat of(FileFormat.Kind otherwise) {
      FileFormat base =
          kind.orElse(otherwise) == FileFormat.Kind.CSV ? FileFormat.CSV : FileFormat.TEXT;
      char quoted = quote.map(FormatSettings::character).orElse(base.quote());
      return new FileFormat(
          base.kind(),
          delimiter.map(FormatSettings::character).orElse(base.delimiter()),
          quoted,
          escape.map(FormatSettings::character).orElse(quoted),
          header.orElse(base.header()),
          nullText.orElse(base.nullText()),
          encoding.orElse(base.encoding()));
    }

    /** 0, which no format takes, where it is not one character. */
    private static char character(String text) {
      if (text.equals("\\t")) {
        return '\t';
      }
      return text.length() == 1 ? text.charAt(0) : 0;
    }
  }
}
