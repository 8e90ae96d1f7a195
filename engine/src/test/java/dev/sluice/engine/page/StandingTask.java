package dev.sluice.engine.page;

import dev.sluice.config.TableId;
import dev.sluice.engine.context.RecentWindows;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.StatusFigures;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.engine.status.TaskControl;
import dev.sluice.engine.status.TaskStatus;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A task whose status is what a test has written by hand. It executes no command: it notes what it
 * is asked for, and answers as the test says.
 */
final class StandingTask implements TaskControl, PageSource {
  private final RecentWindows windows = new RecentWindows(Instant.now());
  private final List<String> commands = new CopyOnWriteArrayList<>();
  private volatile TaskStatus status;
  private volatile Supplier<Outcome> answer =
      () -> {
        throw new UnsupportedOperationException();
      };
  private volatile Function<CutoverOrder, CutoverReport> report =
      order -> {
        throw new UnsupportedOperationException();
      };

  StandingTask(TaskStatus status) {
    this.status = status;
  }

  /** Everything is well. */
  static TaskStatus healthy() {
    return read("healthy.json", "shop-migration");
  }

  /** Of every kind of thing that a status may have at least one: long names, markup, problems. */
  static TaskStatus ofEveryKind() {
    return read("every-kind.json", "shop-migration");
  }

  /** The same, of the daemon of a way back. */
  static TaskStatus ofWayBack() {
    return read("every-kind.json", "shop-migration_fallback");
  }

  /** A cutover runs, or stands after the decision. */
  static TaskStatus cuttingOver() {
    return read("healthy.json", "shop-migration", "\"replicating\"", "\"cutting-over\"");
  }

  /** One table has a lane of its own, which is behind. */
  static TaskStatus inTwoLanes() {
    return read(
        "healthy.json",
        "shop-migration",
        "\"lanes\": []",
        """
        "lanes": [
          {"lane": "main", "tables": [], "position": "0/1", "durable": "0/1",
           "behind_seconds": 0.3, "changes": 1, "backlog": 0},
          {"lane": "lane 2", "tables": ["shop.orders"], "position": "0/1", "durable": "0/1",
           "behind_seconds": 7.5, "changes": 1, "backlog": 9}
        ]""");
  }

  private static TaskStatus read(String name, String task) {
    return read(name, task, "", "");
  }

  private static TaskStatus read(String name, String task, String old, String next) {
    try (InputStream file = StandingTask.class.getResourceAsStream(name)) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      return StatusJson.read(
          text.replace("shop-migration", task).replace(old, next), TaskStatus.class);
    } catch (IOException e) {
      throw new IllegalStateException(name + " is no status", e);
    }
  }

  void become(TaskStatus next) {
    status = next;
  }

  /** The answer to each command from now on; it may wait. */
  void answers(Supplier<Outcome> next) {
    answer = next;
  }

  void answers(Outcome next) {
    answer = () -> next;
  }

  void reports(Function<CutoverOrder, CutoverReport> next) {
    report = next;
  }

  /** What was asked for, in this order. */
  List<String> commands() {
    return List.copyOf(commands);
  }

  private Outcome note(String command) {
    commands.add(command);
    return answer.get();
  }

  @Override
  public TaskStatus status() {
    return status;
  }

  @Override
  public StatusFigures figures() {
    TaskStatus now = status;
    return new StatusFigures(
        now.latency(),
        now.throughput(),
        now.backlog().changes(),
        now.memory().bytes(),
        now.memory().limitBytes(),
        now.swap().bytes(),
        now.swap().limitBytes(),
        now.guards());
  }

  @Override
  public RecentWindows windows() {
    return windows;
  }

  @Override
  public Outcome fence(Duration timeout, boolean exceptSuspended) {
    return note("fence");
  }

  @Override
  public Outcome cutover(CutoverOrder order) {
    return note("cutover " + order);
  }

  @Override
  public Outcome rehearse(CutoverOrder order) {
    return note("rehearse " + order);
  }

  @Override
  public CutoverReport cutoverReport(CutoverOrder order) {
    return report.apply(order);
  }

  @Override
  public Outcome resume(List<TableId> tables) {
    return note("resume " + tables);
  }

  @Override
  public Outcome reload(List<TableId> tables) {
    return note("reload " + tables.stream().map(TableId::quoted).toList());
  }

  @Override
  public Outcome validate(List<TableId> tables, Optional<UUID> record) {
    return note("validate " + tables);
  }

  @Override
  public Outcome repair(List<TableId> tables, boolean deleteExtra) {
    return note("repair " + tables + (deleteExtra ? " and delete" : ""));
  }

  @Override
  public Outcome resync(List<TableId> tables, boolean deleteExtra) {
    return note("resync " + tables);
  }

  @Override
  public Outcome retry() {
    return note("retry");
  }

  @Override
  public Outcome tune(Map<String, String> values) {
    return note("tune " + values);
  }

  @Override
  public Outcome logging(Map<String, String> levels) {
    return note("logging " + levels);
  }

  @Override
  public void stop(boolean drop) {
    commands.add("stop");
  }
}
