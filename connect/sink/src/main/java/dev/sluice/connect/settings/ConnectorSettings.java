package dev.sluice.connect.settings;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.TaskName;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.apply.plan.UnknownColumns;
import dev.sluice.sink.target.TargetServer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The settings from the user's properties, checked as far as possible without a server. Immutable;
 * {@code toString} shows no secret.
 *
 * @param task the name of the task's checkpoint on the target
 * @param taskNumber the task's number within the connector; empty if there can be only one
 * @param targetTable the names of the source's tables on the target
 * @param start for a first start, the position up to which the target has the source's rows
 * @param kafka Kafka client properties
 * @param placeholder the placeholder of a value that is not in the log
 * @param sourceDecimals the source connector's decimal.handling.mode; empty if not given
 * @param sourceBinaries its binary.handling.mode; empty if not given
 * @param snapshotReplaces true if a snapshot's rows replace the table's rows
 * @param heapShare the part of the worker's heap that this task may use
 */
public record ConnectorSettings(
    TaskName task,
    InputTopics input,
    Optional<String> taskNumber,
    Endpoint target,
    TableFormat targetTable,
    Optional<Position> start,
    Map<String, Object> kafka,
    TaskSettings taskSettings,
    String placeholder,
    String sourceDecimals,
    String sourceBinaries,
    boolean snapshotReplaces,
    double heapShare) {

  /** The default directory of swap files. */
  private static final Path SWAP = Path.of(System.getProperty("java.io.tmpdir"), "sluice-swap");

  /**
   * Reads the properties.
   *
   * @throws SluiceException.Fatal if there are problems; names all of them
   */
  public static ConnectorSettings of(Map<String, String> properties) {
    FieldProblems problems = new FieldProblems();
    return SettingsReader.read(properties, problems)
        .orElseThrow(() -> new SluiceException.Fatal(problems.all()));
  }

  public TopicLayout layout() {
    return input.layout();
  }

  public String controlSchema() {
    return taskSettings.controlSchema();
  }

  public TargetServer targetServer() {
    return new TargetServer(
        target.jdbcUrl(),
        target.user(),
        target.password().isPresent() ? target.password().reveal() : null,
        "sluice " + task,
        taskSettings.get(ChangeProcessingTuning.STATEMENT_CACHE_SIZE));
  }

  public SinkSettings sinkSettings() {
    long heap = (long) (Runtime.getRuntime().maxMemory() * heapShare);
    return SinkSettings.of(
        taskNumber.map(number -> task + "-" + number).orElse(task.text()),
        taskSettings,
        SWAP,
        DataSize.ofBytes(heap),
        BatchApplyOverrides.NONE);
  }

  public ApplySettings applySettings() {
    if (layout() == TopicLayout.JOURNAL) {
      return new ApplySettings(taskSettings);
    }
    // Debezium's events do not have DDL: their types are not the source's.
    return new ApplySettings(
        taskSettings
            .with(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_DROPPED, false)
            .with(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_ALTERED, false),
        taskSettings.get(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_ALTERED)
            ? UnknownColumns.REFUSED
            : UnknownColumns.LEFT_OUT);
  }

  /** The space for retained entries. Not in the swap directory, which the pipeline empties. */
  public RetainedSpace retainedSpace() {
    return new RetainedSpace(besideSwap(".retained"), taskSettings.get(SluiceSettings.SWAP_LIMIT));
  }

  /** The directory for the events of a transaction that is joined from several topics. */
  public Path gatheredDirectory() {
    return besideSwap(".gathered");
  }

  /**
   * Memory limit in bytes: once for all events that wait for their transactions, and again for one
   * transaction.
   */
  public long joinMemory() {
    return Math.max(1024 * 1024, sinkSettings().effectiveMemoryLimitTotal().bytes() / 2);
  }

  /** The target name of a source table. */
  public TableId targetOf(TableId source) {
    return targetTable.targetOf(source);
  }

  private Path besideSwap(String ending) {
    Path swap = sinkSettings().swapDirectory();
    return swap.resolveSibling(swap.getFileName() + ending);
  }
}
