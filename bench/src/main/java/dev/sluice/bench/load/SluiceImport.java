package dev.sluice.bench.load;

import dev.sluice.bench.server.Database;
import dev.sluice.config.task.TaskFile;
import dev.sluice.engine.imports.FolderImport;
import dev.sluice.engine.imports.ImportSummary;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * {@code sluice import} of the CSV file, with its checks and its journal.
 *
 * @param batch rows
 */
public record SluiceImport(int jobs, int batch) implements LoadMethod {

  @Override
  public String name() {
    return "sluice import, %d job%s, batches of %,d".formatted(jobs, jobs == 1 ? "" : "s", batch);
  }

  @Override
  public void write(Database target, CsvRows table, Path csv, int rows) throws Exception {
    Path home = Files.createTempDirectory(csv.getParent().getParent(), "task-");
    Path task =
        Files.writeString(
            home.resolve("task.yaml"),
            """
            task: bench
            target: {type: postgresql, url: "postgresql://%s@127.0.0.1:%d/%s"}
            task-settings:
              Import: {ParallelJobs: %d, BatchSize: %d, BatchMemoryLimit: 64}
            """
                .formatted(Database.USER, target.port(), target.name(), jobs, batch));
    ImportSummary summary =
        new FolderImport(TaskFile.readImport(task), csv.getParent(), System.err::println)
            .run(false);
    if (summary.rows() != rows) {
      throw new IllegalStateException(
          "%s has imported %,d rows of %,d".formatted(name(), summary.rows(), rows));
    }
  }
}
