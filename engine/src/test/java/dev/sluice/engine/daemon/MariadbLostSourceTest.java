package dev.sluice.engine.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.SharedBroker;
import dev.sluice.engine.ToMariadb;
import dev.sluice.engine.context.CutoverMemory;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.status.CutoverOrder;
import dev.sluice.engine.status.TaskControl.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A PostgreSQL source that is lost right after it has decided a cutover to MariaDB. */
@ExtendWith(SharedBroker.class)
class MariadbLostSourceTest {
  private static final String FOREIGN_KEYS =
      "SELECT CONSTRAINT_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = 'shop'";

  @Test
  void theTargetIsOpenedWithoutItAsItWasNotedBefore(@TempDir Path folder) throws Exception {
    try (ToMariadb sides = ToMariadb.start()) {
      sides.source().createDatabase("lost");
      sides.onSource(
          "lost",
          "CREATE SCHEMA shop",
          "CREATE TABLE shop.item (id serial PRIMARY KEY, name varchar(40))",
          "CREATE TABLE shop.part (id int PRIMARY KEY, item int REFERENCES shop.item)",
          "INSERT INTO shop.item (name) SELECT 'n' FROM generate_series(1, 10)",
          "INSERT INTO shop.part SELECT i, i FROM generate_series(1, 10) i");
      sides.onTarget("CREATE DATABASE shop COLLATE utf8mb4_nopad_bin");
      TaskConfig config =
          sides
              .task(folder, "lost", "{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}}")
              .config();
      try (RunningDaemon running = RunningDaemon.replicating(config)) {
        Outcome moved =
            running
                .daemon()
                .cutover(
                    new CutoverOrder(
                        Duration.ofMinutes(3), Optional.of(Duration.ofSeconds(30)), Set.of()));
        assertThat(moved.success()).as(moved.toString()).isTrue();
      }
      asRightAfterTheDecision(sides, config);
      sides.source().close();
      try (RunningDaemon again = RunningDaemon.start(config)) {
        again.awaitPhase("cut-over");
        assertThat(again.daemon().status().cutover().report())
            .anyMatch(line -> line.startsWith("the source does not answer: constraints"));
      }
      assertThat(sides.onTarget(FOREIGN_KEYS)).containsExactly("part_item_fkey");
      sides.onTarget("INSERT INTO shop.item (name) VALUES ('there')");
      assertThat(sides.onTarget("SELECT MAX(id) FROM shop.item")).containsExactly("11");
      assertThatThrownBy(() -> sides.onTarget("INSERT INTO shop.part VALUES (11, 77)"))
          .hasMessageContaining("foreign key constraint fails");
      Set<TableId> tables = CutoverMemory.of(config.target(), "lost").keySet();
      assertThat(CutoverMemory.forget(config.target(), "lost", tables))
          .containsExactlyInAnyOrder(new TableId("shop", "item"), new TableId("shop", "part"));
      assertThat(CutoverMemory.of(config.target(), "lost")).isEmpty();
    }
  }

  /** Nothing that comes after the source's commit was done. */
  private static void asRightAfterTheDecision(ToMariadb sides, TaskConfig config) throws Exception {
    List<String> decision =
        sides.onTarget(
            "SELECT detail FROM sluice_control.task_step WHERE step = '%s'"
                .formatted(TaskStepNames.CUTOVER_DECISION));
    sides.onTarget(
        "ALTER TABLE shop.part DROP FOREIGN KEY part_item_fkey",
        "DELETE FROM sluice_control.completion_step WHERE stage = 'CONSTRAINTS'",
        "DELETE FROM sluice_control.task_step WHERE step IN ('%s', '%s', '%s')"
            .formatted(
                TaskStepNames.CUTOVER_USABLE,
                TaskStepNames.CUTOVER_DECISION,
                TaskStepNames.CUTOVER_TIMELINE),
        "DROP DATABASE sluice_cutover");
    TaskContext context = TaskContext.of(config);
    context
        .steps()
        .record(
            context.checkpoints().read(context.task()).orElseThrow(),
            TaskStepNames.CUTOVER,
            TaskStepNames.CUTOVER_QUIET,
            decision.get(0));
  }
}
