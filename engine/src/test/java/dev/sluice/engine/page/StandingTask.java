package dev.sluice.engine.page;

import dev.sluice.config.TableId;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.engine.status.TaskControl;
import dev.sluice.engine.status.TaskStatus;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A task whose status is what a test has written by hand. It executes no command. */
final class StandingTask implements TaskControl {
  private volatile TaskStatus status;

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

  private static TaskStatus read(String name, String task) {
    try (InputStream file = StandingTask.class.getResourceAsStream(name)) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      return StatusJson.read(text.replace("shop-migration", task), TaskStatus.class);
    } catch (IOException e) {
      throw new IllegalStateException(name + " is no status", e);
    }
  }

  void become(TaskStatus next) {
    status = next;
  }

  @Override
  public TaskStatus status() {
    return status;
  }

  @Override
  public Outcome fence(Duration timeout, boolean exceptSuspended) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Outcome cutover(CutoverOrder order) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Outcome rehearse(CutoverOrder order) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CutoverReport cutoverReport(CutoverOrder order) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Outcome resume(List<TableId> tables) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Outcome reload(List<TableId> tables) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Outcome validate(List<TableId> tables, Optional<UUID> record) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Outcome repair(List<TableId> tables, boolean deleteExtra) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Outcome resync(List<TableId> tables, boolean deleteExtra) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Outcome retry() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Outcome tune(Map<String, String> values) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void stop(boolean drop) {
    throw new UnsupportedOperationException();
  }
}
