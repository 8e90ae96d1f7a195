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
import dev.sluice.sink.target.kind.TargetServers;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The settings from the user's properties, checked as far as possible without a server. Immutable;
 * {@code toString} shows no secret.
 *
 * @param task the name of the task's checkpoint on the target
 * @param targetTable the names of the source's tables on the target
 * @param start for a first start, the position up to which the target has the source's rows
 * @param kafka Kafka client properties
 * @param properties all properties, of which those of the events and of the heap are read here
 */
public record ConnectorSettings(
    TaskName task,
    InputTopics input,
    Endpoint target,
    TableFormat targetTable,
    Optional<Position> start,
    Map<String, Object> kafka,
    TaskSettings taskSettings,
    GivenProperties properties) {

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

  /** The placeholder of a value that is not in the log. */
  public String placeholder() {
    return properties.text(SinkConnectorProperties.PLACEHOLDER);
  }

  /** The source connector's decimal.handling.mode; empty if not given. */
  public String sourceDecimals() {
    return properties.text(SinkConnectorProperties.SOURCE_DECIMALS);
  }

  /** The source connector's binary.handling.mode; empty if not given. */
  public String sourceBinaries() {
    return properties.text(SinkConnectorProperties.SOURCE_BINARIES);
  }

  /** True if a snapshot's rows replace the table's rows. */
  public boolean snapshotReplaces() {
    return properties
        .text(SinkConnectorProperties.SNAPSHOT_ROWS)
        .equals(SinkConnectorProperties.REPLACE);
  }

  public TopicLayout layout() {
    return input.layout();
  }

  public String controlSchema() {
    return taskSettings.controlSchema();
  }

  /**
   * Opens no session yet.
   *
   * @throws SluiceException.Fatal if the driver of the target's type is missing, or does not have
   *     what Sluice uses of it
   */
  public TargetServer targetServer() {
    return TargetServers.of(
        target, "sluice " + task, taskSettings.get(ChangeProcessingTuning.STATEMENT_CACHE_SIZE));
  }

  public SinkSettings sinkSettings() {
    double share = Double.parseDouble(properties.text(SinkConnectorProperties.HEAP_SHARE));
    long heap = (long) (Runtime.getRuntime().maxMemory() * share);
    String number = properties.text(SinkConnectorProperties.TASK_NUMBER);
    return SinkSettings.of(
        number.isEmpty() ? task.text() : task + "-" + number,
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

  /**
   * The target name of a source table.
   *
   * @throws SluiceException.Fatal if that is in a database that the target does not write to
   */
  public TableId targetOf(TableId source) {
    TableId table = targetTable.targetOf(source);
    TargetSettings.requireInside(target, table);
    return table;
  }

  private Path besideSwap(String ending) {
    Path swap = sinkSettings().swapDirectory();
    return swap.resolveSibling(swap.getFileName() + ending);
  }
}
