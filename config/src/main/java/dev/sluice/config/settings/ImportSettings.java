package dev.sluice.config.settings;

import java.util.List;
import java.util.Optional;

/**
 * The section {@code Import}: settings of {@code sluice import}. DMS has no such section; the names
 * follow yb-voyager's {@code import data file}.
 */
public final class ImportSettings {

  static final Section SECTION = new Section("Import");

  /** The ErrorPolicy that writes bad rows to a file and continues. */
  public static final String STASH = "stash";

  private static final String BY_NAME = "by-name";
  private static final String OWN = "; empty: the format's own, ";

  public static final Setting<Integer> PARALLEL_JOBS =
      SECTION.add(
          Setting.count(
              "ParallelJobs",
              "connections",
              1,
              64,
              4,
              "target connections that load batches at the same time, also of one file"));

  public static final Setting<Integer> BATCH_SIZE =
      SECTION.add(
          Setting.count(
              "BatchSize",
              "rows",
              1,
              10_000_000,
              20_000,
              "rows of one batch, which is one COPY and one target transaction"));

  public static final Setting<DataSize> BATCH_MEMORY_LIMIT =
      SECTION.add(
          Setting.megabytes(
              "BatchMemoryLimit",
              1,
              1024,
              16,
              "a batch ends before BatchSize where its records reach this; memory for all is at"
                  + " most ParallelJobs + 4 times as much, and at most half of the heap"));

  public static final Setting<String> ERROR_POLICY =
      SECTION.add(
          Setting.choice(
              "ErrorPolicy",
              List.of("abort", STASH),
              "abort",
              "a row that the target rejects: abort stops the import and names file, line and"
                  + " column; stash writes it to FILE.bad beside its file, and continues"));

  public static final Setting<Integer> MAX_BAD_ROWS =
      SECTION.add(
          Setting.count(
              "MaxBadRows",
              "rows",
              0,
              Integer.MAX_VALUE,
              1000,
              "the most bad rows; one more stops the import"));

  public static final Setting<Boolean> FOREIGN_KEYS_AND_TRIGGERS =
      SECTION.add(
          Setting.toggle(
              "ForeignKeysAndTriggers",
              false,
              "true: those of the target are active, so files must come in an order that foreign"
                  + " keys allow. false: they are disabled, as in a full load, and foreign keys are"
                  + " checked when all files are loaded"));

  public static final Setting<String> FORMAT =
      SECTION.add(
          Setting.choice(
              "Format",
              List.of(BY_NAME, "csv", "text"),
              BY_NAME,
              "of the files; by-name: PostgreSQL's text format for .txt, .text and .copy, else"
                  + " csv"));

  public static final Setting<Optional<String>> DELIMITER =
      SECTION.add(
          Setting.optionalText(
              "Delimiter",
              "one character, or \\t",
              Optional.empty(),
              "between two values" + OWN + "a comma in csv and a tab in text"));

  public static final Setting<Optional<String>> QUOTE =
      SECTION.add(
          Setting.optionalText(
              "Quote",
              "one character",
              Optional.empty(),
              "around values of csv" + OWN + "a double quote"));

  public static final Setting<Optional<String>> ESCAPE =
      SECTION.add(
          Setting.optionalText(
              "Escape",
              "one character",
              Optional.empty(),
              "before a quote in a quoted value of csv" + OWN + "the quote, doubled"));

  public static final Setting<Boolean> HEADER =
      SECTION.add(
          Setting.toggle("Header", false, "the first record of each file has the columns' names"));

  public static final Setting<Optional<String>> NULL_STRING =
      SECTION.add(
          Setting.optionalText(
              "NullString",
              "a text",
              Optional.empty(),
              "what stands for NULL" + OWN + "nothing without quotes in csv and \\N in text"));

  public static final Setting<Optional<String>> ENCODING =
      SECTION.add(
          Setting.optionalText(
              "Encoding",
              "a name of PostgreSQL",
              Optional.of("UTF8"),
              "the files' character encoding"));

  private ImportSettings() {}

  /** The kind of the files' format, if a setting says it. */
  public static Optional<FileFormat.Kind> kind(TaskSettings settings) {
    String kind = settings.get(FORMAT);
    return kind.equals(BY_NAME)
        ? Optional.empty()
        : Optional.of(kind.equals("csv") ? FileFormat.Kind.CSV : FileFormat.Kind.TEXT);
  }

  /**
   * The complete format of the files; what no setting says is as in COPY.
   *
   * @param otherwise the kind, if no setting says it
   */
  public static FileFormat format(TaskSettings settings, FileFormat.Kind otherwise) {
    FileFormat base =
        kind(settings).orElse(otherwise) == FileFormat.Kind.CSV ? FileFormat.CSV : FileFormat.TEXT;
    char quote = settings.get(QUOTE).map(ImportSettings::character).orElse(base.quote());
    return new FileFormat(
        base.kind(),
        settings.get(DELIMITER).map(ImportSettings::character).orElse(base.delimiter()),
        quote,
        settings.get(ESCAPE).map(ImportSettings::character).orElse(quote),
        settings.get(HEADER),
        settings.get(NULL_STRING).orElse(base.nullText()),
        settings.get(ENCODING).orElse(base.encoding()));
  }

  /** 0, which {@link FileFormat#problems} refuses, if it is not one character. */
  private static char character(String text) {
    if (text.equals("\\t")) {
      return '\t';
    }
    return text.length() == 1 ? text.charAt(0) : 0;
  }
}
