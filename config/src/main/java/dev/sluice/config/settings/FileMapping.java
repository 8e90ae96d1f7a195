package dev.sluice.config.settings;

import dev.sluice.config.TableId;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The target table and the format of some data files, from the task file. Immutable.
 *
 * @param place its location in the task file, for messages
 * @param file a file name, or a pattern with {@code *}, {@code ?} and {@code [ab]}
 * @param columns the file's columns in order; empty: those of its header, or of the table
 * @param format overrides the format settings
 */
public record FileMapping(
    String place, String file, TableId table, List<String> columns, FormatSettings format) {

  public FileMapping {
    columns = List.copyOf(columns);
  }

  /**
   * Whether the pattern matches.
   *
   * @param name of a file, without directories
   */
  public boolean matches(String name) {
    return FileSystems.getDefault().getPathMatcher("glob:" + file).matches(Path.of(name));
  }

  /**
   * A partial format; empty values are not set. Immutable.
   *
   * @param delimiter one character, or {@code \t}
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

    /** These values, completed by the other's. */
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
     * The complete format; values that are not set have COPY's defaults.
     *
     * @param otherwise the kind, if none is set
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

    /** 0, which {@link FileFormat#problems} refuses, if it is not one character. */
    private static char character(String text) {
      if (text.equals("\\t")) {
        return '\t';
      }
      return text.length() == 1 ? text.charAt(0) : 0;
    }
  }
}
