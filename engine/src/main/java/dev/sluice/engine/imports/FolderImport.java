package dev.sluice.engine.imports;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.ImportSettings;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.ImportConfig;
import dev.sluice.engine.context.TargetLimits;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.load.BatchLoader;
import dev.sluice.load.ImportTables;
import dev.sluice.load.file.BadRowFiles;
import dev.sluice.load.file.BatchReader;
import dev.sluice.load.log.ImportLog;
import dev.sluice.load.log.ImportedFile;
import dev.sluice.load.target.BrokenForeignKey;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.kind.TargetServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Imports the files of a folder. Used by one thread; only {@link #progress} may be called from any
 * other.
 */
public final class FolderImport {
  private static final Logger LOG = LoggerFactory.getLogger(FolderImport.class);

  /** All batches together may use one part in so many of the heap. */
  private static final int BATCHES_SHARE = 2;

  /** Batches beside those of the jobs: one waits, one is submitted, and the reader buffers two. */
  private static final int OTHER_BATCHES = 4;

  private static final int RECORD_SHARE = 8;

  private final ImportConfig config;
  private final Path folder;
  private final Consumer<String> notices;
  private final TargetServer target;
  private final ImportLog journal;
  private final String controlSchema;
  private volatile Map<String, FileProgress> progress = Map.of();

  /**
   * @param notices receives messages for the user, one line each
   */
  public FolderImport(ImportConfig config, Path folder, Consumer<String> notices) {
    this.config = config;
    this.folder = folder;
    this.notices = notices;
    Endpoint to = config.target();
    TargetLimits.require(
        to, TargetLimit.IMPORTS, "import of task " + config.task(), "Use a means of the server");
    this.target =
        TargetServers.of(
            to,
            "sluice import " + config.task(),
            config.taskSettings().get(ChangeProcessingTuning.STATEMENT_CACHE_SIZE));
    this.controlSchema = config.taskSettings().controlSchema();
    this.journal = new ImportLog(target, controlSchema, config.task().text());
  }

  /**
   * Imports what is left of the files; returns when all their rows are on the target's disk.
   *
   * @param startClean whether to first delete the record of what was imported before
   * @throws SluiceException.Fatal with every problem of files and target
   * @throws SluiceException.Data if the target rejects a row
   */
  public ImportSummary run(boolean startClean) throws InterruptedException {
    try (TaskLock lock = lock()) {
      LOG.info("process {} imports {}", lock.pid(), folder);
      ImportPlan plan = ImportPlan.of(config, folder, target, journal, startClean, longestRecord());
      plan.notes().forEach(note -> notices.accept("note: " + note));
      Map<String, FileProgress> files = new LinkedHashMap<>();
      plan.files().values().forEach(file -> files.put(file.name(), new FileProgress(file)));
      progress = files;
      if (startClean) {
        long epoch = journal.claim();
        // An import that was still running may have committed rows since the tables were checked.
        plan.requireEmpty(target);
        journal.forget(epoch);
      }
      return tryUntilDone(files);
    }
  }

  private TaskLock lock() {
    Path directory = config.dataDir().resolve("import");
    return TaskLock.tryTake(directory)
        .orElseThrow(
            () ->
                new SluiceException.Fatal(
                    new Problem(
                        "the import of task " + config.task(),
                        "is running in another process, which holds " + directory,
                        "one import of a task at a time",
                        "Wait for its end, or stop it")));
  }

  /** The progress of every file; empty before the files are checked. From any thread. */
  public List<FileShare> progress() {
    return progress.values().stream().map(FileProgress::share).toList();
  }

  private ImportSummary tryUntilDone(Map<String, FileProgress> files) throws InterruptedException {
    Retries retries = new Retries(RetryPolicy.of(config.taskSettings()), new MonotonicClock());
    long rows = 0;
    while (true) {
      try {
        attempt(files);
        return summary(files);
      } catch (SluiceException.Retryable | SluiceException.Rewound e) {
        long reached = files.values().stream().mapToLong(FileProgress::rows).sum();
        // After an attempt with progress, the failures in a row count from one again.
        if (reached > rows) {
          retries.succeeded();
          rows = reached;
        }
        Optional<Duration> pause = retries.failed();
        if (pause.isEmpty()) {
          throw e;
        }
        notices.accept(
            "%s; again in %d s".formatted(e.getMessage(), Math.max(1, pause.get().toSeconds())));
        retries.await();
      }
    }
  }

  /** Makes one attempt, from what the target has recorded. */
  private void attempt(Map<String, FileProgress> files) {
    long epoch = journal.claim();
    Map<String, PlannedFile> planned = new LinkedHashMap<>();
    files.values().forEach(file -> planned.put(file.planned().name(), file.planned()));
    journal.begin(
        epoch,
        planned.values().stream()
            .map(file -> new ImportLog.Beginning(file.file(), file.target().table(), file.layout()))
            .toList());
    Map<String, ImportedFile> known = journal.files();
    List<Problem> differences = ImportPlan.differences(planned, known, folder);
    if (!differences.isEmpty()) {
      throw new SluiceException.Fatal(differences);
    }
    files.values().forEach(file -> file.resume(known.get(file.planned().name())));
    TaskSettings settings = config.taskSettings();
    Optional<BadRowFiles> badRows =
        settings.get(ImportSettings.ERROR_POLICY).equals(ImportSettings.STASH)
            ? Optional.of(badRowFiles(planned, known))
            : Optional.empty();
    try {
      new ImportRun(journal, epoch, bounds(), files)
          .load(
              known,
              settings.get(ImportSettings.PARALLEL_JOBS),
              () ->
                  BatchLoader.open(
                      target,
                      journal,
                      epoch,
                      badRows,
                      settings.get(ImportSettings.FOREIGN_KEYS_AND_TRIGGERS)));
    } finally {
      badRows.ifPresent(BadRowFiles::close);
    }
  }

  private BadRowFiles badRowFiles(
      Map<String, PlannedFile> planned, Map<String, ImportedFile> known) {
    long before = known.values().stream().mapToLong(ImportedFile::badRows).sum();
    BadRowFiles files =
        new BadRowFiles(
            config.task().text(), config.taskSettings().get(ImportSettings.MAX_BAD_ROWS), before);
    for (PlannedFile file : planned.values()) {
      ImportedFile imported = known.get(file.name());
      if (!imported.isWhole()) {
        files.recover(file.file(), imported.badFileEnd());
      }
    }
    return files;
  }

  private BatchReader.Bounds bounds() {
    TaskSettings settings = config.taskSettings();
    DataSize share =
        DataSize.ofBytes(
            Runtime.getRuntime().maxMemory()
                / BATCHES_SHARE
                / (settings.get(ImportSettings.PARALLEL_JOBS) + OTHER_BATCHES));
    return new BatchReader.Bounds(
        settings.get(ImportSettings.BATCH_SIZE),
        Math.toIntExact(
            Math.min(settings.get(ImportSettings.BATCH_MEMORY_LIMIT).min(share).bytes(), 1L << 30)),
        longestRecord());
  }

  private int longestRecord() {
    DataSize share = DataSize.ofBytes(Runtime.getRuntime().maxMemory() / RECORD_SHARE);
    return (int)
        Math.min(
            config.taskSettings().get(SluiceSettings.MAX_VALUE_SIZE).min(share).bytes(), 1L << 30);
  }

  private ImportSummary summary(Map<String, FileProgress> files) {
    List<ImportSummary.FileRows> rows =
        files.values().stream()
            .map(
                file ->
                    new ImportSummary.FileRows(
                        file.planned().name(),
                        file.planned().target().table(),
                        file.rows(),
                        file.badRows()))
            .toList();
    return new ImportSummary(
        rows,
        config.taskSettings().get(ImportSettings.FOREIGN_KEYS_AND_TRIGGERS)
            ? List.of()
            : brokenForeignKeys(rows.stream().map(ImportSummary.FileRows::table).toList()));
  }

  private List<BrokenForeignKey> brokenForeignKeys(List<TableId> tables) {
    try (ImportTables read = ImportTables.open(target)) {
      return read.brokenForeignKeys(tables);
    }
  }
}
