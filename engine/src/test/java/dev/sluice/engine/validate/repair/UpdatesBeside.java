package dev.sluice.engine.validate.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * A writer on the target that updates seats 1 to 3 of app.seat while these are repaired. Both
 * remember which value they have replaced.
 */
final class UpdatesBeside {
  private static final int ROUNDS = 10;

  private final Opening target;
  private final Callable<RepairOutcome> repair;
  private final List<Made> made = new ArrayList<>();

  /** What a row was, and what somebody made of it. */
  private record Made(String before, String after) {}

  /** Opens a session of the writer. */
  interface Opening {
    Connection open() throws SQLException;
  }

  private UpdatesBeside(Opening target, Callable<RepairOutcome> repair) {
    this.target = target;
    this.repair = repair;
  }

  /**
   * Repairs beside the writer, and once more at the end. Requires that whoever replaced a value of
   * the writer saw it, and nobody else did.
   *
   * @param repair repairs the three rows
   */
  static void requireNoneOverwrittenUnseen(Opening target, Callable<RepairOutcome> repair)
      throws Exception {
    UpdatesBeside beside = new UpdatesBeside(target, repair);
    for (int round = 0; round < ROUNDS; round++) {
      int first = 10 * round;
      CompletableFuture<List<Made>> writer =
          CompletableFuture.supplyAsync(() -> beside.written(first));
      try {
        beside.repair();
      } finally {
        beside.made.addAll(writer.join());
      }
    }
    beside.repair();
    assertThat(beside.made.stream().map(Made::before).filter(UpdatesBeside::isOfWriter))
        .containsExactlyInAnyOrderElementsOf(
            beside.made.stream().map(Made::after).filter(UpdatesBeside::isOfWriter).toList());
  }

  private static boolean isOfWriter(String value) {
    return value.startsWith("w");
  }

  private List<Made> written(int first) {
    List<Made> written = new ArrayList<>();
    RepairJournal.run(
        () -> {
          try (Connection other = target.open();
              Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            for (int n = first; n < first + 10; n++) {
              String row = "id = " + (n % 3 + 1);
              String before;
              try (ResultSet found =
                  statement.executeQuery("SELECT v FROM app.seat WHERE " + row + " FOR UPDATE")) {
                found.next();
                before = found.getString(1);
              }
              statement.execute("UPDATE app.seat SET v = 'w%d' WHERE %s".formatted(n, row));
              other.commit();
              written.add(new Made(before, "w" + n));
            }
          }
        });
    return written;
  }

  /** Remembers what was committed. */
  private void repair() throws Exception {
    repair.call().repaired().stream()
        .flatMap(rows -> rows.rows().stream())
        .map(row -> row.difference().target().orElseThrow().values().get(2))
        .forEach(overwritten -> made.add(new Made(overwritten, "right")));
  }
}
