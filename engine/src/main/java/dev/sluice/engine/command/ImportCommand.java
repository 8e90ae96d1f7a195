package dev.sluice.engine.command;

import dev.sluice.config.Counted;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.ValidationSettings;
import dev.sluice.config.task.ImportConfig;
import dev.sluice.config.task.TaskFile;
import dev.sluice.engine.command.display.ImportWatch;
import dev.sluice.engine.imports.FolderImport;
import dev.sluice.engine.imports.ImportSummary;
import dev.sluice.engine.progress.ProgressScreen;
import dev.sluice.load.file.BadRowFiles;
import dev.sluice.load.target.BrokenForeignKey;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "import",
    description = {
      "Loads CSV files and files in PostgreSQL's text format from a folder into the target's"
          + " tables.",
      "The task file says which table a file goes into, or the file's name does, such as",
      "SCHEMA.TABLE.csv,",
      "TABLE.csv,",
      "TABLE.1.csv (a part of the rows), or",
      "TABLE.txt.",
      "Each may be followed by .gz.",
      "The task file needs a task and a target; the settings are those of its section Import.",
      "Ended or killed at any moment and run again, it continues where it was: no row is lost or"
          + " loaded twice."
    },
    mixinStandardHelpOptions = true)
final class ImportCommand implements Callable<Integer> {
  private static final long SHOW_MILLIS = 250;

  @Parameters(index = "0", paramLabel = "TASK.yaml", description = "The task file.")
  private Path file;

  @Parameters(index = "1", paramLabel = "FOLDER", description = "The folder that has the files.")
  private Path folder;

  @Option(
      names = "--start-clean",
      description =
          "Forget what this task has imported before, and import every file again. The tables must"
              + " be empty.")
  private boolean startClean;

  @Override
  public Integer call() throws InterruptedException {
    long started = System.nanoTime();
    ImportWatch watch = new ImportWatch(ProgressScreen.onStandardOutput());
    FolderImport folderImport = new FolderImport(readImport(), folder, System.err::println);
    Thread ticker = new Thread(() -> show(folderImport, watch), "import-progress");
    ticker.setDaemon(true);
    ticker.start();
    ImportSummary summary;
    try {
      summary = folderImport.run(startClean);
    } finally {
      ticker.interrupt();
      ticker.join();
      watch.end(Instant.now(), folderImport.progress());
    }
    return tell(summary, (System.nanoTime() - started) / 1e9);
  }

  private ImportConfig readImport() {
    ImportConfig config = TaskFile.readImport(file);
    if (config.taskSettings().get(ValidationSettings.VALIDATION_ONLY)) {
      throw new SluiceException.Fatal(
          new Problem(
              ValidationSettings.VALIDATION_ONLY.path(),
              "true, and an import writes rows",
              "false",
              "Give the import a task file of its own, without ValidationOnly"));
    }
    return config;
  }

  private static void show(FolderImport folderImport, ImportWatch watch) {
    try {
      while (true) {
        Thread.sleep(SHOW_MILLIS);
        watch.show(Instant.now(), folderImport.progress());
      }
    } catch (InterruptedException e) {

      Thread.currentThread().interrupt();
    }
  }

  private int tell(ImportSummary summary, double seconds) {
    for (ImportSummary.FileRows rows : summary.files()) {
      System.out.printf(
          Locale.ROOT,
          "%s: %s in %s%s%n",
          rows.file(),
          Counted.of(rows.rows(), "row"),
          rows.table(),
          rows.badRows() == 0
              ? ""
              : ", %s in %s%s"
                  .formatted(
                      Counted.of(rows.badRows(), "bad row"), rows.file(), BadRowFiles.SUFFIX));
    }
    System.out.printf(
        Locale.ROOT,
        "%s, %s, %.1f s%s%n",
        Counted.of(summary.files().size(), "file"),
        Counted.of(summary.rows(), "row"),
        seconds,
        summary.badRows() == 0
            ? ""
            : "; " + Counted.of(summary.badRows(), "bad row") + " put aside");
    for (BrokenForeignKey broken : summary.broken()) {
      System.err.printf(
          Locale.ROOT,
          "sluice: foreign key %s of %s: %s no row of %s%n",
          broken.constraint(),
          broken.table(),
          broken.rows() == 1 ? "1 row has" : "%,d rows have".formatted(broken.rows()),
          broken.references());
    }
    if (!summary.broken().isEmpty()) {
      return ExitCode.FAILED;
    }
    return summary.badRows() == 0 ? ExitCode.DONE : ExitCode.ROWS_PUT_ASIDE;
  }
}
