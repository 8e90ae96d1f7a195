package dev.sluice.config.settings;

import dev.sluice.config.settings.FileMapping.FormatSettings;
import java.util.List;
import java.util.Optional;

/**
 * The section {@code Import}: settings of {@code sluice import}. DMS has no such section; the names
 * follow yb-voyager's {@code import data file}. Immutable.
 *
 * @param parallelJobs target connections that load batches, 1 to 64
 * @param batchSize the most rows of one batch
 * @param batchMemoryLimit the most bytes of one batch; a single record may be larger
 * @param stash true: bad rows are written to a file; false: the first one stops the import
 * @param maxBadRows the most bad rows before the import stops
 * @param foreignKeysAndTriggers whether foreign keys and triggers of the target are active
 * @param format the format of the files
 */
public record ImportSettings(
    int parallelJobs,
    int batchSize,
    DataSize batchMemoryLimit,
    boolean stash,
    int maxBadRows,
    boolean foreignKeysAndTriggers,
    FormatSettings format) {

  static final String SECTION = "Import";

  private static final String STASH = "stash";
  private static final String BY_NAME = "by-name";
  private static final String OWN = "; empty: the format's own, ";

  static final List<Setting> SETTINGS =
      List.of(
          Setting.count(
              SECTION,
              "ParallelJobs",
              "connections",
              1,
              64,
              4,
              "target connections that load batches at the same time, also of one file"),
          Setting.count(
              SECTION,
              "BatchSize",
              "rows",
              1,
              10_000_000,
              20_000,
              "rows of one batch, which is one COPY and one target transaction"),
          Setting.megabytes(
              SECTION,
              "BatchMemoryLimit",
              1,
              1024,
              16,
              "a batch ends before BatchSize where its records reach this; memory for all is at"
                  + " most ParallelJobs + 4 times as much, and at most half of the heap"),
          Setting.choice(
              SECTION,
              "ErrorPolicy",
              List.of("abort", STASH),
              "abort",
              "a row that the target rejects: abort stops the import and names file, line and"
                  + " column; stash writes it to FILE.bad beside its file, and continues"),
          Setting.count(
              SECTION,
              "MaxBadRows",
              "rows",
              0,
              Integer.MAX_VALUE,
              1000,
              "the most bad rows; one more stops the import"),
          Setting.toggle(
              SECTION,
              "ForeignKeysAndTriggers",
              false,
              "true: those of the target are active, so files must come in an order that foreign"
                  + " keys allow. false: they are disabled, as in a full load, and foreign keys are"
                  + " checked when all files are loaded"),
          Setting.choice(
              SECTION,
              "Format",
              List.of(BY_NAME, "csv", "text"),
              BY_NAME,
              "of the files; by-name: PostgreSQL's text format for .txt, .text and .copy, else"
                  + " csv"),
          Setting.text(
              SECTION,
              "Delimiter",
              "one character, or \\t",
              "",
              "between two values" + OWN + "a comma in csv and a tab in text"),
          Setting.text(
              SECTION,
              "Quote",
              "one character",
              "",
              "around values of csv" + OWN + "a double quote"),
          Setting.text(
              SECTION,
              "Escape",
              "one character",
              "",
              "before a quote in a quoted value of csv" + OWN + "the quote, doubled"),
          Setting.toggle(
              SECTION, "Header", false, "the first record of each file has the columns' names"),
          Setting.text(
              SECTION,
              "NullString",
              "a text",
              "",
              "what stands for NULL" + OWN + "nothing without quotes in csv and \\N in text"),
          Setting.text(
              SECTION,
              "Encoding",
              "a name of PostgreSQL",
              "UTF8",
              "the files' character encoding"));

  public static final ImportSettings DEFAULTS = from(SettingValues.defaults(SETTINGS));

  static ImportSettings from(SettingValues values) {
    String format = values.text(SECTION, "Format");
    return new ImportSettings(
        values.count(SECTION, "ParallelJobs"),
        values.count(SECTION, "BatchSize"),
        values.size(SECTION, "BatchMemoryLimit"),
        values.text(SECTION, "ErrorPolicy").equals(STASH),
        values.count(SECTION, "MaxBadRows"),
        values.toggle(SECTION, "ForeignKeysAndTriggers"),
        new FormatSettings(
            format.equals(BY_NAME) ? Optional.empty() : Optional.of(kind(format)),
            given(values, "Delimiter"),
            given(values, "Quote"),
            given(values, "Escape"),
            Optional.of(values.toggle(SECTION, "Header")),
            given(values, "NullString"),
            given(values, "Encoding")));
  }

  public static FileFormat.Kind kind(String name) {
    return name.equals("csv") ? FileFormat.Kind.CSV : FileFormat.Kind.TEXT;
  }

  private static Optional<String> given(SettingValues values, String name) {
    return Optional.of(values.text(SECTION, name)).filter(text -> !text.isEmpty());
  }
}
