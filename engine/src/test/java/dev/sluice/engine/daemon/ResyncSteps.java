package dev.sluice.engine.daemon;

import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.TaskConfig;
import dev.sluice.engine.context.TaskLock;
import java.time.Duration;
import java.util.List;

/** What the tests of a resync do with a task, and the rows that they begin with. */
final class ResyncSteps {
  static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Rows of the table that each task has, and more tables. */
  static final String[] TABLES = {
    "INSERT INTO item SELECT i, 'name ' || i, i / 7.0 FROM generate_series(1, 3000) i",
    "CREATE TABLE seat (id int PRIMARY KEY, place int UNIQUE, note text)",
    "INSERT INTO seat SELECT i, i, 'seat ' || i FROM generate_series(1, 1000) i",
    "CREATE TABLE doc (id int PRIMARY KEY, body text)",
    "INSERT INTO doc SELECT i, repeat(md5(i::text), 300) FROM generate_series(1, 200) i",
    "CREATE TABLE bare (n int, t text)",
    "ALTER TABLE bare REPLICA IDENTITY FULL",
    "INSERT INTO bare SELECT i % 10, 'x' FROM generate_series(1, 100) i"
  };

  /** What the task misses: new, changed and deleted rows, and exchanged values. */
  static final String[] MISSED = {
    "UPDATE item SET price = -1 WHERE id % 10 = 0",
    "DELETE FROM item WHERE id % 10 = 1",
    "INSERT INTO item SELECT i, 'late ' || i, NULL FROM generate_series(10001, 10300) i",
    "UPDATE seat SET place = place + 5000",
    "UPDATE seat SET place = 1001 - (place - 5000)",
    "UPDATE doc SET body = body || 'more' WHERE id % 2 = 0",
    "DELETE FROM bare WHERE n = 3",
    "INSERT INTO bare VALUES (1, 'x'), (77, NULL)"
  };

  private ResyncSteps() {}

  static void request(DdlTask task, boolean deleteExtra) {
    TaskConfig config = task.config();
    try (TaskLock lock = TaskLock.take(task.name(), config.dataDir())) {
      ResyncRequest.of(config).make(lock, deleteExtra);
    }
  }

  static boolean cancel(DdlTask task) {
    TaskConfig config = task.config();
    try (TaskLock lock = TaskLock.take(task.name(), config.dataDir())) {
      return ResyncRequest.of(config).cancel(lock);
    }
  }

  /** The recorded state of the resync; empty if none was requested. */
  static String step(DdlTask task) throws Exception {
    return task.target(
        "SELECT coalesce(max(state), '') FROM sluice_control.task_step"
            + " WHERE task = '%s' AND step = 'resync'".formatted(task.name()));
  }

  static void awaitStep(DdlTask task, RunningDaemon running, String... states) {
    await("resync " + List.of(states))
        .atMost(PATIENCE)
        .until(
            () -> {
              if (running.end().isCompletedExceptionally()) {
                running.end().join();
              }
              return List.of(states).contains(step(task));
            });
  }

  /** Resyncs the task while its source is written, and compares both sides. */
  static void resync(DdlTask task) throws Exception {
    request(task, true);
    try (RunningDaemon running = RunningDaemon.start(task.config())) {
      awaitStep(task, running, "running", "done");
      task.onSource("UPDATE seat SET note = 'meanwhile' WHERE id <= 5");
      awaitStep(task, running, "done");
      task.assertRowsEqual(running);
    }
  }
}
