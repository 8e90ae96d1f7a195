package dev.sluice.connect.settings;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.settings.DataSize;
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
 * What the user's properties say, checked as far as that takes no server. Immutable; shows no
 * secret.
 *
 * @param task the name of the checkpoint on the target
 * @param taskNumber which of the connector's tasks this is; empty where there is one at the most
 * @param targetTable what the source's tables are called there
 * @param start up to where the target holds the source's rows, for a first start
 * @param kafka properties of Kafka's clients
 * @param placeholder what stands for a value that is not in the log
 * @param sourceDecimals the source connector's decimal.handling.mode; empty where not told
 * @param sourceBinaries its binary.handling.mode; empty where not told
 * @param snapshotReplaces whether a snapshot's rows replace those that its table has
 * @param heapShare the part of the worker's heap that counts as this task's
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

  /** Where swap files go unless the settings say otherwise. */
  private static final Path SWAP = Path.of(System.getProperty("java.io.tmpdir"), "sluice-swap");

  /**
   * Reads the properties.
   *
   * @throws SluiceException.Fatal with every problem
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
    return taskSettings.controlTablesSettings().controlSchema();
  }

  public TargetServer targetServer() {
    return new TargetServer(
        target.jdbcUrl(),
        target.user(),
        target.password().isPresent() ? target.password().reveal() : null,
        "sluice " + task,
        taskSettings.changeProcessingTuning().statementCacheSize());
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
    ChangeProcessingDdlHandlingPolicy ddl = taskSettings.ddlHandlingPolicy();
    if (layout() == TopicLayout.JOURNAL) {
      return new ApplySettings(
          taskSettings.errorBehavior().policies(), taskSettings.controlTablesSettings(), ddl);
    }
    // Debezium does not tell of it; its types are not the source's.
    return new ApplySettings(
        taskSettings.errorBehavior().policies(),
        taskSettings.controlTablesSettings(),
        new ChangeProcessingDdlHandlingPolicy(ddl.handleSourceTableTruncated(), false, false),
        ddl.handleSourceTableAltered() ? UnknownColumns.REFUSED : UnknownColumns.LEFT_OUT);
  }

  /** Beside the swap, which the pipeline empties. */
  public RetainedSpace retainedSpace() {
    return new RetainedSpace(besideSwap(".retained"), sinkSettings().swapLimit());
  }

  /** For the events of a transaction that is gathered from several topics. */
  public Path gatheredDirectory() {
    return besideSwap(".gathered");
  }

  /** What may wait in memory until transactions are whole, and again for one of them, in bytes. */
  public long joinMemory() {
    return Math.max(1024 * 1024, sinkSettings().effectiveMemoryLimitTotal().bytes() / 2);
  }

  /** What a source table is called on the target. */
  public TableId targetOf(TableId source) {
    return targetTable.targetOf(source);
  }

  private Path besideSwap(String ending) {
    Path swap = sinkSettings().swapDirectory();
    return swap.resolveSibling(swap.getFileName() + ending);
  }
}
